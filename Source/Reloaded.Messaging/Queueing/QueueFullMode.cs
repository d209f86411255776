namespace Reloaded.Messaging;

/// <summary>The behavior of a full queue when a message is added.</summary>
public enum QueueFullMode
{
    /// <summary>Refuses the message. The producer still owns it.</summary>
    Reject,

    /// <summary>Releases the oldest queued message and accepts the new one. For state that newer messages replace.</summary>
    DropOldest,

    /// <summary><see cref="MessageQueue{TSender}.EnqueueAsync"/> waits until there is room; <see cref="MessageQueue{TSender}.Enqueue"/> refuses the message.</summary>
    Wait,
}

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
