using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Reloaded.Messaging.Hosting;

/// <summary>The source of spans, and the durations of requests, of their handlers and of the handlers of events, by the semantic conventions of OpenTelemetry 1.40.0.</summary>
internal sealed record InstrumentSet(ActivitySource Source, Histogram<double> Requests, Histogram<double> Replies, Histogram<double> Events)
{
    /// <summary>Whether spans have a listener.</summary>
    public bool IsTraced => Source.HasListeners();

    /// <summary>Whether the spans or the durations of requests have a listener.</summary>
    public bool ObservesRequests => IsTraced || Requests.Enabled;

    /// <summary>Whether the spans or the durations of handlers have a listener.</summary>
    public bool ObservesHandlers => IsTraced || Events.Enabled || Replies.Enabled;

    /// <summary>Creates the instruments. It calls listeners of the program: call it under no lock, and in no type initializer.</summary>
    public static InstrumentSet Create()
    {
        // The buckets that the semantic conventions recommend.
        var advice = new InstrumentAdvice<double> { HistogramBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] };
        var source = new ActivitySource(MessagingTracing.SourceName);
        LoadContextHook.OnUnloading(source.Dispose);
        var meter = new Meter(MessagingMetrics.MeterName);
        LoadContextHook.OnUnloading(meter.Dispose);
        return new InstrumentSet(
            source,
            CreateDuration("rpc.client.call.duration", "The time from the start of a request to its end, by status."),
            CreateDuration("rpc.server.call.duration", "The time for which the handler of a request ran."),
            CreateDuration("messaging.process.duration", "The time for which the handler of an event ran."));

        Histogram<double> CreateDuration(string name, string description) => meter.CreateHistogram(name, "s", description, tags: null, advice);
    }
}
