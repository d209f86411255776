namespace Reloaded.Messaging.Hosting;

/// <summary>The messages of one peer in a <see cref="PeerQueues{TContext}"/>. Only that queue accesses the fields.</summary>
internal sealed class PeerQueue
{
    /// <summary>The entries of the oldest and of the newest message.</summary>
    public int First, Last;

    public int Count;

    public long Bytes;

    /// <summary>The next peer queue with messages. These queues form a circular list.</summary>
    public PeerQueue? Next;

    /// <summary>Opens when there may be room for a message of the peer.</summary>
    public AsyncGate Room;

    /// <summary>The number of messages at which <see cref="Room"/> opens.</summary>
    public int WakeAt;
}
