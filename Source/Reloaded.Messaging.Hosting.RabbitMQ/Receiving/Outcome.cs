namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The outcome of a delivery. The outcome of a batch is the highest outcome of its messages.</summary>
internal enum Outcome
{
    /// <summary>The message was handled, or needs no handling.</summary>
    Done = 0,

    /// <summary>No handler of this host can handle the message. It becomes a dead letter.</summary>
    Dead,

    /// <summary>The handler threw. The message is tried again until it has reached the maximum number of tries.</summary>
    Again,
}
