using System;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The page of errors lists every member of each enum that it describes.</summary>
public sealed class ErrorsPageTests
{
    public static TheoryData<Type> Enums =>
    [
        typeof(SendStatus),
        typeof(RequestStatus),
        typeof(DisconnectReason),
        typeof(TransportCloseReason),
        typeof(DispatchStatus),
        typeof(EnqueueStatus),
        typeof(DiscoveryFailure),
        typeof(DatagramDropReason),
    ];

    [Theory]
    [MemberData(nameof(Enums))]
    public void Page_lists_every_member(Type type)
    {
        var page = File.ReadAllText(Page.PathOf("errors.md")).ReplaceLineEndings("\n");
        var section = Assert.Single(page.Split("\n## "), section => section.Split('\n')[0].EndsWith($": `{type.Name}`", StringComparison.Ordinal));

        var listed = section.Split('\n').Where(static line => line.StartsWith("| `", StringComparison.Ordinal)).Select(static line => line.Split('`')[1]);

        Assert.Equal(Enum.GetNames(type).Order(), listed.Order());
    }

    [Fact]
    public void Page_lists_values_of_fault_codes()
    {
        var page = File.ReadAllText(Page.PathOf("errors.md"));

        Assert.All(FaultCodes.All, code => Assert.Contains($"| `{code.Name}` | {code.Value} |", page, StringComparison.Ordinal));
    }
}
