using System.Diagnostics.Metrics;

namespace Reloaded.Messaging.Hosting;

/// <summary>The buckets of a histogram, which .NET 8 does not have: the listener chooses them. OpenTelemetry uses its defaults for the name or a view.</summary>
internal sealed class InstrumentAdvice<T>
{
    public IReadOnlyList<T>? HistogramBucketBoundaries { get; init; }
}

internal static class MeterExtensions
{
    public static Histogram<T> CreateHistogram<T>(this Meter meter, string name, string unit, string description, IEnumerable<KeyValuePair<string, object?>>? tags, InstrumentAdvice<T> advice)
        where T : struct => meter.CreateHistogram<T>(name, unit, description);
}
