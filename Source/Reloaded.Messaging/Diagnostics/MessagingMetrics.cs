using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>The meter of the library, <see cref="MeterName"/>. Read it with OpenTelemetry, <c>dotnet-counters</c> or a <see cref="MeterListener"/>.</summary>
/// <remarks>
/// Without a listener, a message costs one load and one branch that is not taken. The counts of packed and dispatched messages start with
/// the first collection (<see cref="MeterListener.RecordObservableInstruments"/>); all others start with the listener.
/// No instrument refers to a dispatcher, handler or message type, so the meter keeps none of them loaded.
/// </remarks>
public static class MessagingMetrics
{
    /// <summary>The name of the meter.</summary>
    public const string MeterName = "Reloaded.Messaging";

    private static readonly Meter s_meter = new(MeterName);

    private static readonly Counter<long> s_dropped =
        s_meter.CreateCounter<long>("reloaded.messaging.dropped", "{message}", "Messages that reached no handler, by status.");

    private static readonly Counter<long> s_unsent =
        s_meter.CreateCounter<long>("reloaded.messaging.unsent", "{message}", "Messages that were not sent, by status.");

    private static readonly Counter<long> s_uncompressed =
        s_meter.CreateCounter<long>("reloaded.messaging.compression.input", "By", "Payload bytes before compression, of the payloads that were compressed.");

    private static readonly Counter<long> s_compressed =
        s_meter.CreateCounter<long>("reloaded.messaging.compression.output", "By", "Payload bytes after compression, of the same payloads.");

    static MessagingMetrics()
    {
        s_meter.CreateObservableCounter("reloaded.messaging.packed", OnDemandCounters.CollectPacked, "{message}", "Messages packed; those of a batch when it is cleared.");
        s_meter.CreateObservableCounter("reloaded.messaging.dispatched", OnDemandCounters.CollectDispatched, "{message}", "Messages that reached a handler.");
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

    /// <summary>Counts a message that reached no handler, by the status or mode that explains it.</summary>
    internal static void CountDropped(string reason)
    {
        if (s_dropped.Enabled)
            s_dropped.Add(1, new KeyValuePair<string, object?>("status", reason));
    }

    /// <summary>Counts a message that a host did not send, in <c>reloaded.messaging.unsent</c>. For authors of hosts; thread-safe.</summary>
    /// <param name="status">The value of the tag <c>status</c>: a name from a small, fixed set.</param>
    public static void CountUnsent(string status)
    {
        if (s_unsent.Enabled)
            s_unsent.Add(1, new KeyValuePair<string, object?>("status", status));
    }

    internal static void CountCompressed(int before, int after)
    {
        if (s_uncompressed.Enabled)
            s_uncompressed.Add(before);
        if (s_compressed.Enabled)
            s_compressed.Add(after);
    }
}
