using System.Diagnostics.Metrics;

namespace Reloaded.Messaging;

/// <summary>The meter of the library, <see cref="MeterName"/>. Read it with OpenTelemetry, <c>dotnet-counters</c> or a <see cref="MeterListener"/>.</summary>
/// <remarks>
/// Without a listener, a message costs one load and one branch that is not taken. The counts of packed and dispatched messages start with
/// the first collection (<see cref="MeterListener.RecordObservableInstruments"/>); all others start with the process. A collection reads the counts,
/// so no code of a listener runs while a message is packed, sent or dispatched.
/// No instrument refers to a dispatcher, handler or message type, so the meter keeps none of them loaded.
/// </remarks>
public static class MessagingMetrics
{
    /// <summary>The name of the meter.</summary>
    public const string MeterName = "Reloaded.Messaging";

    internal const int QueueFull = 9;
    internal const int QueueDroppedOldest = 10;

    /// <summary>The statuses of dispatchers, in their order, and the modes of queues.</summary>
    private static readonly string[] s_reasons =
        "Handled HandledByFallback NoHandler Malformed TooLarge CorruptPayload InvalidPayload NotForHandlers HandlerIsAsync QueueFull QueueDroppedOldest".Split(' ');

    private static readonly long[] s_dropped = new long[s_reasons.Length];
    private static int s_isPublished;
    private static long s_uncompressed;
    private static long s_compressed;

    /// <summary>Publishes the instruments once. It calls listeners of the program: call it under no lock, and in no type initializer.</summary>
    /// <param name="countBuffers">Returns the number of buffers in use, which only the pool knows.</param>
    internal static void Publish(Func<long> countBuffers)
    {
        if (Volatile.Read(ref s_isPublished) != 0 || Interlocked.Exchange(ref s_isPublished, 1) != 0)
            return;
        var meter = new Meter(MeterName, typeof(MessagingMetrics).Assembly.GetName().Version!.ToString(3));
        LoadContextHook.OnUnloading(meter.Dispose);
        meter.CreateObservableCounter("reloaded.messaging.packed", OnDemandCounters.CollectPacked, "{message}", "Messages packed.");
        meter.CreateObservableCounter("reloaded.messaging.dispatched", OnDemandCounters.CollectDispatched, "{message}", "Messages that reached a handler.");
        meter.CreateObservableCounter("reloaded.messaging.dropped", CollectDropped, "{message}", "Messages that reached no handler, by status.");
        meter.CreateObservableCounter("reloaded.messaging.compression.input", static () => Volatile.Read(ref s_uncompressed), "By", "Payload bytes before compression.");
        meter.CreateObservableCounter("reloaded.messaging.compression.output", static () => Volatile.Read(ref s_compressed), "By", "Payload bytes after compression.");
        meter.CreateObservableUpDownCounter("reloaded.messaging.buffers.outstanding", countBuffers, "{buffer}", "Buffers in use.");
    }

    internal static void CountDispatched()
    {
        if (OnDemandCounters.IsOn)
            OnDemandCounters.AddDispatched();
    }

    /// <summary>Counts a message that reached no handler, by the status or mode that explains it.</summary>
    /// <param name="reason">The number of the status, <see cref="QueueFull"/> or <see cref="QueueDroppedOldest"/>.</param>
    internal static void CountDropped(int reason) => Interlocked.Increment(ref s_dropped[reason]);

    internal static void CountCompressed(int before, int after)
    {
        Interlocked.Add(ref s_uncompressed, before);
        Interlocked.Add(ref s_compressed, after);
    }

    private static List<Measurement<long>> CollectDropped()
    {
        var measurements = new List<Measurement<long>>();
        for (var i = 0; i < s_reasons.Length; i++)
        {
            if (Volatile.Read(ref s_dropped[i]) is > 0 and var dropped)
                measurements.Add(new Measurement<long>(dropped, new KeyValuePair<string, object?>("status", s_reasons[i])));
        }

        return measurements;
    }
}
