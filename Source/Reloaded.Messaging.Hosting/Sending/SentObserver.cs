namespace Reloaded.Messaging.Hosting;

/// <summary>Observes the messages that the connections of a host send. While it is inactive, a message costs one load and one branch.</summary>
internal abstract class SentObserver
{
    private bool _isActive;

    /// <summary>Whether messages are observed. Thread-safe.</summary>
    public bool IsActive
    {
        get => Volatile.Read(ref _isActive);
        protected set => Volatile.Write(ref _isActive, value);
    }

    /// <summary>Begins the observation of one message, before another thread can write it or receive its reply.</summary>
    /// <returns>The time in ticks of <see cref="System.Diagnostics.Stopwatch"/>; 0 if the message is not observed.</returns>
    public abstract long Begin(Peer peer);

    /// <summary>Observes a message that was appended to an outbox. Never throws. Called outside of the lock of the outbox.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="message">The header and the payload.</param>
    /// <param name="isSecret">Whether the message is secret.</param>
    /// <param name="time">The result of <see cref="Begin"/>.</param>
    public abstract void NoteSent(Peer peer, ReadOnlySpan<byte> message, bool isSecret, long time);
}
