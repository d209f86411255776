namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>How a host stands with its broker.</summary>
public enum LinkState
{
    /// <summary>There is no connection; the host tries again until it is disposed.</summary>
    Disconnected = 0,

    /// <summary>Connected.</summary>
    Connected,

    /// <summary>Connected, and the broker takes no messages: it runs out of memory or disk. Publishing says <see cref="SendStatus.Full"/>.</summary>
    Blocked,
}
