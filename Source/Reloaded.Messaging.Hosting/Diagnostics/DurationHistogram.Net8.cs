using System.Diagnostics.Metrics;

namespace Reloaded.Messaging.Hosting;

/// <summary>Creates a histogram of durations in seconds. .NET 8 has no buckets of an instrument, so the listener chooses them. OpenTelemetry uses its defaults for the name or a view.</summary>
internal static class DurationHistogram
{
    public static Histogram<double> Create(Meter meter, string name, string description) => meter.CreateHistogram<double>(name, "s", description);
}
