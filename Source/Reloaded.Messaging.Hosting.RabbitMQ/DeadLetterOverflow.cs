namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>What happens when the queue of a group's dead letters is full.</summary>
public enum DeadLetterOverflow
{
    /// <summary>The oldest dead letter is dropped for each new one. The group goes on.</summary>
    DropOldest = 0,

    /// <summary>No dead letter is dropped. New ones wait in the group's own queue; when that queue is full too, publishers are refused and the group stops.</summary>
    StopGroup,
}
