namespace Reloaded.Messaging.Hosting;

/// <summary>The result of sending a message.</summary>
/// <remarks>
/// No status confirms that the remote side received the message. Only the reply to a request confirms it. Every status except <see cref="Sent"/> is counted:
/// see <see cref="MessageHost.GetCount(SendStatus)"/> and <see cref="Peer.GetCount(SendStatus)"/>.
/// </remarks>
public enum SendStatus
{
    /// <summary>The message is queued after the messages that were sent before it.</summary>
    Sent = 0,

    /// <summary>The message was not sent, because <see cref="HostLimits.MaxPendingBytes"/> wait for the peer, or 256 MiB for all peers. Drop the message, or wait by <c>SendAsync</c>.</summary>
    Full,

    /// <summary>The message was not sent, because the peer has disconnected or its handshake is not complete.</summary>
    Closed,

    /// <summary>The message was not sent, because it is larger than the peer accepts: see <see cref="Peer.MaxMessageSize"/>.</summary>
    TooLarge,

    /// <summary>The message was not sent, because the peer declared another contract for its type. <see cref="MessageHost.ContractMismatched"/> reports the difference.</summary>
    ContractMismatch,
}
