using System.Threading;

namespace Reloaded.Messaging.Hosting.Channels.Udp;

/// <summary>What became of a socket's datagrams. Thread-safe.</summary>
internal sealed class DatagramCounts
{
    private readonly long[] _drops = new long[(int)DatagramDrop.TooLarge + 1];
    private long _received;

    /// <summary>Datagrams that came, whatever became of them. Counted by the one thread that receives.</summary>
    public long Received => Volatile.Read(ref _received);

    public void CountReceived() => Volatile.Write(ref _received, _received + 1);

    public void Count(DatagramDrop reason) => Interlocked.Increment(ref _drops[(int)reason]);

    public long Get(DatagramDrop reason) => Volatile.Read(ref _drops[(int)reason]);
}
