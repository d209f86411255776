using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>A request has no reply, and never will.</summary>
public sealed class RequestFailedException : Exception
{
    /// <summary>Makes the exception with the text of a status.</summary>
    public RequestFailedException(RequestStatus status)
        : this(status, Describe(status))
    {
    }

    /// <summary>Makes the exception with a text.</summary>
    internal RequestFailedException(RequestStatus status, string message)
        : base(message) => Status = status;

    /// <summary>How it ended.</summary>
    public RequestStatus Status { get; }

    private static string Describe(RequestStatus status) => status switch
    {
        RequestStatus.Disconnected => "The peer is gone, and if it was there when the request was sent, nobody knows whether it handled it; or the handshake with it is not over, and nothing was sent.",
        RequestStatus.Full => "The request was not sent: too much waits to be sent to this peer, or too many requests to it are unanswered. Try again later.",
        RequestStatus.TooLarge => "The request is larger than the peer's MaxMessageSize, and was not sent. Send less at a time, or raise MessageLimits.MaxMessageSize on the other side.",
        RequestStatus.ContractMismatch => "The peer declared another contract for the request or its reply, and nothing was sent. ContractMismatched reports the difference. Use the same contract on both sides, another id, or HostOptions.AcceptsOtherContracts.",
        _ => "The reply is of another type than was asked for, or can't be read. Compare the two sides' contracts.",
    };
}
