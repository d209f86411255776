using System.Diagnostics.Metrics;
using System.IO;
using System.Linq;
using Reloaded.Messaging;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Readme;

/// <summary>docs/observability.md lists the instruments of the core. The tests of hosts compare the instruments of hosts.</summary>
public sealed class ObservabilityPageTests
{
    [Fact]
    public void Page_lists_every_instrument_with_its_unit()
    {
        using (new MessageWriter().PackRaw(new MessageHeader(1), default))
        {
        }

        var published = new List<string>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter.Name == MessagingMetrics.MeterName)
                    published.Add($"| `{instrument.Name}` | `{instrument.Unit}` |");
            },
        };
        listener.Start();

        var page = File.ReadAllLines(Path.Combine(AppContext.BaseDirectory, "docs", "observability.md"));
        var listed = page.Where(static line => line.StartsWith("| `reloaded.", StringComparison.Ordinal) && !line.StartsWith("| `reloaded.messaging.host.", StringComparison.Ordinal)).Select(static line => string.Join('|', line.Split('|')[..3]) + "|");

        Assert.Equal(published.Distinct().Order(), listed.Order());
    }
}
