using System;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>A message for <see cref="Outbox.Append(ref OutgoingFrame, ref FlushChain)"/>: the header and the payload, which are copied.</summary>
internal ref struct OutgoingFrame(ReadOnlySpan<byte> message, bool isSecret = false)
{
    /// <summary>A message directly before the message; empty for none. Either both messages are appended, or none.</summary>
    public ReadOnlySpan<byte> Before { get; init; }

    public readonly ReadOnlySpan<byte> Message { get; } = message;

    /// <summary>Whether to zero the bytes after they are written.</summary>
    public readonly bool IsSecret { get; } = isSecret;

    /// <summary>The maximum number of pending bytes; 0 for the limit of the outbox.</summary>
    public int MaxPending { get; init; }

    /// <summary>Whether the message is accepted regardless of the limits, because the connection could not continue without it.</summary>
    public bool IsControl { get; init; }

    /// <summary>The delivery of a control message.</summary>
    public Delivery Delivery { get; init; }

    /// <summary>Called under the lock, before the message can be written or another message can be appended; <c>null</c> for no call. Only for code of the library.</summary>
    public Action? Appended { get; init; }

    /// <summary>Which thread calls the taps.</summary>
    public FrameObservation Observation { get; init; }

    /// <summary>Whether the message was refused because the limit of all outboxes together is reached.</summary>
    public bool LacksTotal { get; set; }

    /// <summary>The time for the taps; 0 if the message is not observed.</summary>
    public long ObservedAt { get; set; }
}

/// <summary>Which thread calls the taps of a message that is sent. No tap runs under a lock.</summary>
internal enum FrameObservation
{
    /// <summary>The thread that appends the message.</summary>
    AtOnce,

    /// <summary>The caller, which passes the message to <see cref="Outbox.NoteSent"/> after it has left its lock.</summary>
    ByCaller,

    /// <summary>A thread of the thread pool, because the caller holds a lock or must not wait.</summary>
    Later,
}

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
