namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The user of a broker connection. Called on any thread.</summary>
internal interface ILinkOwner
{
    /// <summary>Called once, when the connection is lost, before anything else learns of it.</summary>
    void OnLost(BrokerConnection link);

    /// <summary>Called when the broker stops accepting messages, or accepts them again.</summary>
    /// <param name="link">The connection.</param>
    /// <param name="reason">The reason; <c>null</c> if the broker accepts messages again.</param>
    void OnBlocked(BrokerConnection link, string? reason);
}
