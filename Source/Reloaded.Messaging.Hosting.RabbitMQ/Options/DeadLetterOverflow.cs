namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The behavior when the dead-letter queue of a group is full.</summary>
public enum DeadLetterOverflow
{
    /// <summary>The oldest dead letter is dropped for each new dead letter. The group continues.</summary>
    DropOldest = 0,

    /// <summary>No dead letter is dropped. New dead letters wait in the queue of the group. When that queue is full too, publishers are refused and the group stops.</summary>
    StopGroup,
}
