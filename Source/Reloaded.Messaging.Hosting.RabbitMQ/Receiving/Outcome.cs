namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>What is to become of a delivery. Of a batch, the highest of its messages'.</summary>
internal enum Outcome
{
    /// <summary>Handled, or nothing that could be.</summary>
    Done = 0,

    /// <summary>Nobody here will ever handle it: to the dead letters.</summary>
    Dead,

    /// <summary>Its handler threw: once more, until it was handed out too often.</summary>
    Again,
}
