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

    /// <summary>The connection ended before the reply arrived. The remote side may have handled the request: send it again only if it can be handled twice.</summary>
    Disconnected,

    /// <summary>It was not sent: too much waits to be sent, or too many requests are unanswered.</summary>
    Full,

    /// <summary>The reply is of another type than was asked for, or can't be read.</summary>
    InvalidReply,

    /// <summary>The request is larger than the peer accepts: see <see cref="Peer.MaxMessageSize"/>. The request was not sent.</summary>
    TooLarge,

    /// <summary>The peer declared another contract for the request or its reply. <see cref="MessageHost.ContractMismatched"/> reports the difference. The request was not sent.</summary>
    ContractMismatch,

    /// <summary>The request was not sent, because the peer is not connected or the host was disposed. The remote side has not seen it.</summary>
    NotSent,
}
