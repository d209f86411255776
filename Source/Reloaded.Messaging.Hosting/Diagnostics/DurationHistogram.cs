using System.Diagnostics.Metrics;

namespace Reloaded.Messaging.Hosting;

/// <summary>Creates a histogram of durations in seconds, with the buckets that the semantic conventions recommend.</summary>
internal static class DurationHistogram
{
    private static readonly InstrumentAdvice<double> s_advice = new()
    {
        HistogramBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    };

    public static Histogram<double> Create(Meter meter, string name, string description) => meter.CreateHistogram(name, "s", description, tags: null, s_advice);
}
