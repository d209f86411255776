using System.Linq;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The codes of the faults that the library sends.</summary>
internal static class FaultCodes
{
    public static (string Name, int Value)[] All =>
    [
        .. typeof(FaultCode).GetFields()
            .Select(static code => (code.Name, (int)code.GetRawConstantValue()!))
            .Where(static code => code.Item2 < FaultCode.FirstCustom),
    ];
}
