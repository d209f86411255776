namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The state of a host's connection to its broker.</summary>
public enum LinkState
{
    /// <summary>The host is not connected. It tries to connect until it is disposed.</summary>
    Disconnected = 0,

    /// <summary>The host is connected.</summary>
    Connected,

    /// <summary>The host is connected, but the broker does not accept messages, because it is low on memory or disk. Publishing returns <see cref="SendStatus.Full"/>.</summary>
    Blocked,
}
