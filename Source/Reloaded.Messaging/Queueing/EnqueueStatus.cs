namespace Reloaded.Messaging;

/// <summary>The result of enqueueing a message, and the owner of the message afterwards.</summary>
public enum EnqueueStatus
{
    /// <summary>The message is queued. The queue owns it.</summary>
    Enqueued,

    /// <summary>The message is queued. The queue owns it, and has released its oldest message to make room.</summary>
    DroppedOldest,

    /// <summary>The queue is full. The producer still owns the message.</summary>
    Full,

    /// <summary>The queue was disposed. The producer still owns the message.</summary>
    Closed,
}
