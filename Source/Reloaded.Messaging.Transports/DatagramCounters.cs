using System;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>Counts a host's datagrams, over all of its sockets. A transport counts; the host reports. Thread-safe.</summary>
public sealed class DatagramCounters
{
    private readonly long[] _drops = new long[(int)DatagramDropReason.Failed + 1];
    private long _received;

    /// <summary>The number of datagrams that were received, dropped ones included.</summary>
    public long Received => Volatile.Read(ref _received);

    /// <summary>Raised with an exception that the handling of a datagram threw. A listener must not throw.</summary>
    public event Action<Exception>? Failed;

    /// <summary>The number of datagrams, or of messages in them, that were dropped for a reason.</summary>
    public long GetDropped(DatagramDropReason reason) => Volatile.Read(ref _drops[(int)reason]);

    /// <summary>Counts a datagram that was received.</summary>
    public void CountReceived() => Interlocked.Increment(ref _received);

    /// <summary>Counts a datagram, or a message in one, that was dropped.</summary>
    public void CountDropped(DatagramDropReason reason) => Interlocked.Increment(ref _drops[(int)reason]);

    /// <summary>Counts an exception that the handling of a datagram threw as <see cref="DatagramDropReason.Failed"/>, and raises <see cref="Failed"/>.</summary>
    public void CountFailure(Exception exception)
    {
        CountDropped(DatagramDropReason.Failed);
        Failed?.Invoke(exception);
    }
}
