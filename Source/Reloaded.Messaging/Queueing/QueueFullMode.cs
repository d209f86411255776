namespace Reloaded.Messaging;

/// <summary>What a full queue does with one more message.</summary>
public enum QueueFullMode
{
    /// <summary>Refuses it; the producer keeps it.</summary>
    Reject,

    /// <summary>Releases the oldest message that waits and takes the new one: for state that newer messages replace.</summary>
    DropOldest,

    /// <summary>Lets <see cref="MessageQueue{TSender}.EnqueueAsync"/> wait until there is room; a plain Enqueue is refused.</summary>
    Wait,
}
