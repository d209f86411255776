namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The state of a host's connection to its broker.</summary>
public enum LinkState
{
    /// <summary>The host is not connected. It tries to connect until it is disposed.</summary>
    Disconnected = 0,

    /// <summary>The host is connected.</summary>
    Connected,

    /// <summary>
    /// The host is connected, but the broker does not accept messages. Either the broker is low on memory or disk, and publishing returns
    /// <see cref="SendStatus.Full"/>. Or the broker has not confirmed an at-least-once message for 10 s, for example because most
    /// nodes of a queue are down, and no other topic waits. Then only at-least-once events wait, up to <see cref="HostLimits.MaxPendingBytes"/>.
    /// </summary>
    Blocked,
}
