namespace Reloaded.Messaging.Hosting.RabbitMQ.Publishing;

/// <summary>How far a message is.</summary>
internal enum OutgoingState : byte
{
    /// <summary>To be published.</summary>
    Waiting = 0,

    /// <summary>Being published, or not confirmed yet.</summary>
    Sent,

    /// <summary>Nothing is left to do, and its buffer is given back.</summary>
    Done,
}
