namespace Reloaded.Messaging.Hosting;

/// <summary>A message for <see cref="Outbox.Append(ref OutgoingFrame, ref FlushChain)"/>: the header and the payload, which are copied.</summary>
internal ref struct OutgoingFrame(ReadOnlySpan<byte> message, bool isSecret = false)
{
    /// <summary>A message directly before the message; empty for none. Either both messages are appended, or none.</summary>
    public ReadOnlySpan<byte> Before;

    public readonly ReadOnlySpan<byte> Message = message;

    /// <summary>Whether to zero the bytes after they are written.</summary>
    public readonly bool IsSecret = isSecret;

    /// <summary>The maximum number of pending bytes; 0 for the limit of the outbox.</summary>
    public int MaxPending;

    /// <summary>Whether the message is accepted regardless of the limits, because the connection could not continue without it.</summary>
    public bool IsControl;

    /// <summary>The delivery; <c>null</c> to find it by the header of the message.</summary>
    public Delivery? Delivery;

    /// <summary>Called under the lock, before the message can be written or another message can be appended; <c>null</c> for no call. Only for code of the library.</summary>
    public Action? Appended;

    /// <summary>Whether another thread calls the taps and the channel, because the caller holds a lock or must not wait. Both may be code of the program.</summary>
    public bool IsDeferred;

    /// <summary>Whether the message was refused because the limit of all outboxes together is reached.</summary>
    public bool LacksTotal;

    /// <summary>The time for the taps; 0 if the message is not observed.</summary>
    public long ObservedAt;
}
