using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.Hosting;

/// <summary>The instruments of other targets.</summary>
internal static class OperationInstruments
{
    public static void Publish()
    {
        // There are no instruments.
    }
}
