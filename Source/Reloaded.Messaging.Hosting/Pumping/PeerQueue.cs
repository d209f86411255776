namespace Reloaded.Messaging.Hosting;

/// <summary>One peer's messages in a <see cref="RoundRobinQueue{TContext}"/>, which alone reads and writes the fields.</summary>
internal sealed class PeerQueue
{
    /// <summary>The entry of the oldest message, and that of the newest.</summary>
    public int First, Last;

    public int Count;

    public long Bytes;

    /// <summary>The next queue that has messages: the queues form a circle.</summary>
    public PeerQueue? Next;

    /// <summary>Opens when the peer may have room.</summary>
    public AsyncGate Room;

    /// <summary>At how many messages <see cref="Room"/> opens.</summary>
    public int WakeAt;
}
