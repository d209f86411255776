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
        _ => "The reply is of another type than was asked for, or can't be read. Compare the two sides' contracts.",
    };
}
