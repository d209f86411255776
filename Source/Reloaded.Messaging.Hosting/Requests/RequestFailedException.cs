using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>Thrown when a request has no reply and will not get one.</summary>
public sealed class RequestFailedException : Exception
{
    /// <summary>Makes the exception with the text of a status.</summary>
    /// <param name="status">How the request ended.</param>
    public RequestFailedException(RequestStatus status)
        : this(status, Describe(status, null))
    {
    }

    /// <summary>Makes the exception with a text.</summary>
    internal RequestFailedException(RequestStatus status, string message)
        : base(message) => Status = status;

    /// <summary>How the request ended.</summary>
    public RequestStatus Status { get; }

    /// <summary>The text of a status.</summary>
    /// <param name="status">How the request ended.</param>
    /// <param name="cause">Why, as a sentence. <c>null</c> if it is not known.</param>
    internal static string Describe(RequestStatus status, string? cause) => status switch
    {
        RequestStatus.NotSent => $"The request was not sent. {cause ?? "The peer is not connected."}",
        RequestStatus.Disconnected => $"{cause ?? "The connection ended before the reply arrived."} The remote side may have handled the request.",
        RequestStatus.Full => "The request was not sent. Too many bytes wait to be sent to this peer, or too many requests to it are unanswered. Try again later.",
        RequestStatus.TooLarge => "The request is larger than the peer's MaxMessageSize, and was not sent. Send less at a time, or raise MessageLimits.MaxMessageSize on the other side.",
        RequestStatus.ContractMismatch => "The peer declared another contract for the request or its reply, and nothing was sent. ContractMismatched reports the difference. Use the same contract on both sides, another id, or MessageHostOptions.AcceptsOtherContracts.",
        _ => $"{cause ?? "The reply cannot be read."} Compare the contracts of both sides.",
    };
}
