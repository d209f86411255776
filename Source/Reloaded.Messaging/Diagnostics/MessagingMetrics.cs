using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using System.Threading;

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

    private static readonly Meter s_meter = new(MeterName);

    private const int Statuses = (int)DispatchStatus.HandlerIsAsync + 1;

    private static readonly long[] s_dropped = new long[Statuses + 2]; // by status, then of queues by mode
    private static long s_uncompressed;
    private static long s_compressed;

    static MessagingMetrics()
    {
        s_meter.CreateObservableCounter("reloaded.messaging.packed", OnDemandCounters.CollectPacked, "{message}", "Messages packed; those of a batch when it is cleared.");
        s_meter.CreateObservableCounter("reloaded.messaging.dispatched", OnDemandCounters.CollectDispatched, "{message}", "Messages that reached a handler.");
        s_meter.CreateObservableCounter("reloaded.messaging.dropped", CollectDropped, "{message}", "Messages that reached no handler, by status.");
        s_meter.CreateObservableCounter("reloaded.messaging.compression.input", static () => Volatile.Read(ref s_uncompressed), "By", "Payload bytes before compression, of the payloads that were compressed.");
        s_meter.CreateObservableCounter("reloaded.messaging.compression.output", static () => Volatile.Read(ref s_compressed), "By", "Payload bytes after compression, of the same payloads.");
        LoadContextHook.OnUnloading(s_meter.Dispose);
    }

    /// <summary>Adds the instrument for buffers in use, whose number only the pool knows. The pool calls it once.</summary>
    internal static void ObserveBuffers(Func<long> outstanding) =>
        s_meter.CreateObservableUpDownCounter("reloaded.messaging.buffers.outstanding", outstanding, "{buffer}", "Buffers in use.");

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void CountPacked(int messages = 1)
    {
        if (OnDemandCounters.IsOn)
            OnDemandCounters.AddPacked(messages);
    }

    internal static void CountDispatched()
    {
        if (OnDemandCounters.IsOn)
            OnDemandCounters.AddDispatched();
    }

    /// <summary>Counts a message that reached no handler, by the status that explains it.</summary>
    internal static void CountDropped(DispatchStatus status) => Interlocked.Increment(ref s_dropped[(int)status]);

    /// <summary>Counts a message that a full queue refused or dropped.</summary>
    internal static void CountDropped(QueueFullMode mode) => Interlocked.Increment(ref s_dropped[Statuses + (int)mode]);

    internal static void CountCompressed(int before, int after)
    {
        Interlocked.Add(ref s_uncompressed, before);
        Interlocked.Add(ref s_compressed, after);
    }

    private static List<Measurement<long>> CollectDropped()
    {
        var measurements = new List<Measurement<long>>();
        for (var i = 0; i < s_dropped.Length; i++)
        {
            var reason = i < Statuses ? ((DispatchStatus)i).ToString() : i == Statuses ? "QueueFull" : "QueueDroppedOldest";
            measurements.Add(new Measurement<long>(s_dropped[i], new KeyValuePair<string, object?>("status", reason)));
        }

        return measurements;
    }
}
