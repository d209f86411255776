namespace Reloaded.Messaging.Hosting.RabbitMQ.Receiving;

/// <summary>What a queue is for, and so what may be in it.</summary>
internal enum ConsumerRole
{
    /// <summary>Events of topics.</summary>
    Events = 0,

    /// <summary>Requests that were sent to a name that several hosts may answer to.</summary>
    Requests,

    /// <summary>This host's own: replies to it, and requests to it alone.</summary>
    Inbox,
}
