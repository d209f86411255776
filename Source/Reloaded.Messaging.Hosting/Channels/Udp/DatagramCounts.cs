using System;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>What became of a server's or a client's datagrams, over all of its sockets. Thread-safe.</summary>
internal sealed class DatagramCounts
{
    private readonly long[] _drops = new long[(int)DatagramDropReason.Failed + 1];
    private long _received;

    /// <summary>Datagrams that came, whatever became of them.</summary>
    public long Received => Volatile.Read(ref _received);

    /// <summary>Called with an exception that the handling of a datagram threw. It throws nothing.</summary>
    public Action<Exception>? OnFailed { get; set; }

    public void CountReceived() => Interlocked.Increment(ref _received);

    public void Count(DatagramDropReason reason) => Interlocked.Increment(ref _drops[(int)reason]);

    /// <summary>Counts an exception that the handling of a datagram threw, and reports it.</summary>
    public void CountFailure(Exception exception)
    {
        Count(DatagramDropReason.Failed);
        OnFailed?.Invoke(exception);
    }

    public long Get(DatagramDropReason reason) => Volatile.Read(ref _drops[(int)reason]);
}
