namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The purpose of a queue, which determines the messages that it may contain.</summary>
internal enum ConsumerRole
{
    /// <summary>Events of topics.</summary>
    Events = 0,

    /// <summary>Requests to the id of this host, or to a name that several hosts may use.</summary>
    Requests,

    /// <summary>Replies to this host. They are separate from requests, because the handler of a request may wait for a reply.</summary>
    Replies,
}
