namespace Reloaded.Messaging.Hosting;

/// <summary>How a request ended.</summary>
public enum RequestStatus
{
    /// <summary>With a reply.</summary>
    Replied = 0,

    /// <summary>With a fault: <see cref="RequestResult{TReply}.Fault"/> says which.</summary>
    Faulted,

    /// <summary>Nothing came in time. A reply that comes later is dropped, and counted.</summary>
    TimedOut,

    /// <summary>The caller's token ended it; the other side was told.</summary>
    Canceled,

    /// <summary>The peer is gone, and whether it handled the request nobody knows; or the handshake with it is not over, and nothing was sent.</summary>
    Disconnected,

    /// <summary>It was not sent: too much waits to be sent, or too many requests are unanswered.</summary>
    Full,

    /// <summary>The reply is of another type than was asked for, or can't be read.</summary>
    InvalidReply,

    /// <summary>The request is larger than the peer accepts: see <see cref="Peers.Peer.MaxMessageSize"/>. The request was not sent.</summary>
    TooLarge,

    /// <summary>The peer declared another contract for the request or its reply. <see cref="MessageHost.ContractMismatched"/> reports the difference. The request was not sent.</summary>
    ContractMismatch,
}
