namespace Reloaded.Messaging.Hosting.Sessions;

/// <summary>What becomes of a peer that sends more than <see cref="HostLimits.MessagesPerSecond"/> or <see cref="HostLimits.BytesPerSecond"/>.</summary>
public enum FloodPolicy
{
    /// <summary>It is disconnected.</summary>
    Disconnect,

    /// <summary>What is too much is dropped, and counted: events, requests (which then time out) and pings. The peer stays.</summary>
    Drop,
}
