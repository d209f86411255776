using System;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>The counters of all connections of a host. Thread-safe.</summary>
internal sealed class HostCounters
{
    private readonly long[] _disconnects = new long[Enum.GetValues<DisconnectReason>().Length];
    private readonly long[] _refusals = new long[Enum.GetValues<DisconnectReason>().Length];
    private long _droppedTraceContexts;
    private long _malformed;
    private long _unknownControls;
    private long _failedAccepts;
    private long _lostFrames;
    private long _unhandled;
    private long _overMessageRate;
    private long _overByteRate;

    /// <summary>The number of messages that were not sent, by status.</summary>
    public SendCounts Sends { get; } = new();

    public long Malformed => Volatile.Read(ref _malformed);

    public long UnknownControls => Volatile.Read(ref _unknownControls);

    public long FailedAccepts => Volatile.Read(ref _failedAccepts);

    public long RefusedConnections
    {
        get
        {
            long sum = 0;
            for (var reason = 0; reason < _refusals.Length; reason++)
                sum += Volatile.Read(ref _refusals[reason]);
            return sum;
        }
    }

    public long LostFrames => Volatile.Read(ref _lostFrames);

    public long Unhandled => Volatile.Read(ref _unhandled);

    public long OverMessageRate => Volatile.Read(ref _overMessageRate);

    public long OverByteRate => Volatile.Read(ref _overByteRate);

    public long DroppedTraceContexts => Volatile.Read(ref _droppedTraceContexts);

    /// <summary>Returns the number of connections that ended after they were open.</summary>
    public long GetDisconnects(DisconnectReason reason) => Volatile.Read(ref _disconnects[(int)reason]);

    /// <summary>Returns the number of connections that ended before they were open.</summary>
    public long GetRefusals(DisconnectReason reason) => Volatile.Read(ref _refusals[(int)reason]);

    public void CountDisconnect(DisconnectReason reason, bool wasOpen) => Interlocked.Increment(ref (wasOpen ? _disconnects : _refusals)[(int)reason]);

    public void CountDroppedTraceContext() => Interlocked.Increment(ref _droppedTraceContexts);

    public void CountMalformed() => Interlocked.Increment(ref _malformed);

    public void CountUnknownControl() => Interlocked.Increment(ref _unknownControls);

    public void CountFailedAccept() => Interlocked.Increment(ref _failedAccepts);

    public void CountUnhandled(int count) => Interlocked.Add(ref _unhandled, count);

    public void CountLostFrames(int count) => Interlocked.Add(ref _lostFrames, count);

    /// <summary>Counts a message over a rate. The rate is identified by its disconnect reason.</summary>
    public void CountOverRate(DisconnectReason rate) =>
        Interlocked.Increment(ref rate == DisconnectReason.TooManyMessages ? ref _overMessageRate : ref _overByteRate);
}
