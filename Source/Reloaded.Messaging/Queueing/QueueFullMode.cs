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
