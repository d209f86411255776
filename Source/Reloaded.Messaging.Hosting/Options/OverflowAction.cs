namespace Reloaded.Messaging.Hosting;

/// <summary>The action for a peer that exceeds <see cref="HostLimits.MessagesPerSecond"/> or <see cref="HostLimits.BytesPerSecond"/>.</summary>
public enum OverflowAction
{
    /// <summary>The peer is disconnected.</summary>
    Disconnect,

    /// <summary>Messages over the rate are dropped and counted, whatever their kind is. The peer stays connected.</summary>
    /// <remarks>
    /// A dropped request times out on the remote side. If a cancellation is dropped, the handler of its request runs to the end. Replies to requests of this side
    /// are never dropped. A peer that announces contracts over the rate is disconnected, because announcements must not be lost.
    /// </remarks>
    Drop,
}
