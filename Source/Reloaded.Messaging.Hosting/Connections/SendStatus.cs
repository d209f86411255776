namespace Reloaded.Messaging.Hosting;

/// <summary>What became of a message that was to be sent.</summary>
/// <remarks>
/// Nothing here says that the other side has it: only the reply to a request does. Every status except <see cref="Sent"/> is counted:
/// see <see cref="MessageHost.GetCount(SendStatus)"/> and <see cref="Peer.GetCount(SendStatus)"/>.
/// </remarks>
public enum SendStatus
{
    /// <summary>It waits to be written, behind what was sent before it.</summary>
    Sent = 0,

    /// <summary><see cref="HostLimits.MaxPendingBytes"/> wait to be sent to the peer, or <see cref="HostLimits.MaxTotalPendingBytes"/> to all peers. The message was not sent: drop it, or wait by <c>SendAsync</c>.</summary>
    Full,

    /// <summary>The peer is gone, or the handshake with it is not over. Nothing was taken.</summary>
    Closed,

    /// <summary>The message is larger than the peer accepts: see <see cref="Peer.MaxMessageSize"/>. The message was not sent.</summary>
    TooLarge,

    /// <summary>The peer declared another contract for the message's type. <see cref="MessageHost.ContractMismatched"/> reports the difference. The message was not sent.</summary>
    ContractMismatch,
}
