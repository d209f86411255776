using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Reloaded.Messaging.Hosting;

/// <summary>The source of spans, and the durations of requests, of their handlers and of the handlers of events, by the semantic conventions of OpenTelemetry 1.40.0.</summary>
internal sealed class InstrumentSet(ActivitySource source, Histogram<double> requests, Histogram<double> replies, Histogram<double> events)
{
    private static int s_isPublishing;
    private static InstrumentSet? s_published;

    /// <summary>The instruments of the hosts of this package. <see langword="null"/> before the first host is created, and while it is being created: a host of another thread then has no listeners.</summary>
    public static InstrumentSet? Published => Volatile.Read(ref s_published);

    public readonly ActivitySource Source = source;
    public readonly Histogram<double> Requests = requests;
    public readonly Histogram<double> Replies = replies;
    public readonly Histogram<double> Events = events;

    /// <summary>Whether spans have a listener.</summary>
    public bool IsTraced => Source.HasListeners();

    /// <summary>Whether the spans or the durations of requests have a listener.</summary>
    public bool ObservesRequests => IsTraced || Requests.Enabled;

    /// <summary>Whether the spans or the durations of handlers have a listener.</summary>
    public bool ObservesHandlers => IsTraced || Events.Enabled || Replies.Enabled;

    /// <summary>Creates the instruments once. It calls listeners of the program: call it under no lock, and in no type initializer.</summary>
    public static void Publish()
    {
        if (Volatile.Read(ref s_isPublishing) == 0 && Interlocked.Exchange(ref s_isPublishing, 1) == 0)
            Volatile.Write(ref s_published, Create());
    }

    private static InstrumentSet Create()
    {
        // The buckets that the semantic conventions recommend.
        var advice = new InstrumentAdvice<double> { HistogramBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] };
        var version = typeof(InstrumentSet).Assembly.GetName().Version!.ToString(3);
        var source = new ActivitySource(MessagingTracing.SourceName, version);
        LoadContextHook.OnUnloading(source.Dispose);
        var meter = new Meter(MessagingMetrics.MeterName, version);
        LoadContextHook.OnUnloading(meter.Dispose);
        return new InstrumentSet(
            source,
            CreateDuration("rpc.client.call.duration", "The time from the start of a request to its end, by status."),
            CreateDuration("rpc.server.call.duration", "The time for which the handler of a request ran."),
            CreateDuration("messaging.process.duration", "The time for which the handler of an event ran."));

        Histogram<double> CreateDuration(string name, string description) => meter.CreateHistogram(name, "s", description, tags: null, advice);
    }
}
