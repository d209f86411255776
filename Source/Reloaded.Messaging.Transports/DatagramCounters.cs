namespace Reloaded.Messaging;

/// <summary>Counts the datagrams of a host, over all of its sockets. The transport counts, and the host reports the counts. Thread-safe.</summary>
public sealed class DatagramCounters
{
    private readonly Counters<DatagramDropReason> _drops = new();
    private long _received;
    private long _sent;
    private long _lost;

    /// <summary>The number of datagrams received, including dropped datagrams.</summary>
    public long Received => Volatile.Read(ref _received);

    /// <summary>The number of datagrams sent that the other side must acknowledge, including <see cref="Lost"/>.</summary>
    public long Sent => Volatile.Read(ref _sent);

    /// <summary>The number of datagrams sent that were lost. The content that must arrive was sent again.</summary>
    public long Lost => Volatile.Read(ref _lost);

    /// <summary>Raised with an exception that was thrown while a datagram was handled. A handler of this event must not throw.</summary>
    public event Action<Exception>? Failed;

    /// <summary>Returns the number of datagrams, or of messages in datagrams, that were dropped for a reason.</summary>
    public long GetDropped(DatagramDropReason reason) => _drops[reason];

    /// <summary>Counts a datagram that was received.</summary>
    internal void CountReceived() => Interlocked.Increment(ref _received);

    /// <summary>Counts a datagram that was sent and must be acknowledged.</summary>
    internal void CountSent() => Interlocked.Increment(ref _sent);

    /// <summary>Counts a datagram that was sent and lost.</summary>
    internal void CountLost() => Interlocked.Increment(ref _lost);

    /// <summary>Counts a datagram, or a message in a datagram, that was dropped.</summary>
    internal void CountDropped(DatagramDropReason reason) => _drops.Add(reason);

    /// <summary>Counts an exception that was thrown while a datagram was handled, as <see cref="DatagramDropReason.Failed"/>, and raises <see cref="Failed"/>.</summary>
    public void CountFailure(Exception exception)
    {
        CountDropped(DatagramDropReason.Failed);
        Failed?.Invoke(exception);
    }
}
