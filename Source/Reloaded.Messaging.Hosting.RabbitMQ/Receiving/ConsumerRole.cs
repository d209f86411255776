namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>What a queue is for, and so what may be in it.</summary>
internal enum ConsumerRole
{
    /// <summary>Events of topics.</summary>
    Events = 0,

    /// <summary>Requests that were sent to this host's id, or to a name that several hosts may answer to.</summary>
    Requests,

    /// <summary>Replies to this host. Apart from requests to it, whose handlers may wait for one.</summary>
    Replies,
}
