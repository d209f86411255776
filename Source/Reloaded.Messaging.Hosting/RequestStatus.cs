namespace Reloaded.Messaging.Hosting;

/// <summary>The outcome of a request.</summary>
public enum RequestStatus
{
    /// <summary>The remote side replied.</summary>
    Replied = 0,

    /// <summary>The remote side replied with a fault: see <see cref="RequestResult{TReply}.Fault"/>.</summary>
    Faulted,

    /// <summary>No reply arrived within the timeout. A late reply is dropped and counted.</summary>
    TimedOut,

    /// <summary>The caller's token was canceled. The remote side was notified.</summary>
    Canceled,

    /// <summary>The connection ended before the reply arrived. The remote side may have handled the request. Send it again only if it may be handled twice.</summary>
    Disconnected,

    /// <summary>The request was not sent. Too many bytes wait to be sent, or too many requests are unanswered.</summary>
    Full,

    /// <summary>The reply has another type than expected, or cannot be read.</summary>
    InvalidReply,

    /// <summary>The request is larger than the peer accepts: see <see cref="Peer.MaxMessageSize"/>. The request was not sent.</summary>
    TooLarge,

    /// <summary>The peer declared another contract for the request or its reply. <see cref="MessageHost.ContractMismatched"/> reports the difference. The request was not sent.</summary>
    ContractMismatch,

    /// <summary>The request was not sent, because the peer is not connected or the host was disposed. The remote side has not seen it.</summary>
    NotSent,
}
