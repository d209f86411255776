namespace Reloaded.Messaging.Hosting;

/// <summary>Thrown when a request ended without a reply.</summary>
public sealed class RequestFailedException : Exception
{
    /// <summary>Creates the exception with the default text of a status.</summary>
    /// <param name="status">The status of the request.</param>
    public RequestFailedException(RequestStatus status)
        : this(status, Describe(status, null))
    {
    }

    /// <summary>Creates the exception with a text.</summary>
    internal RequestFailedException(RequestStatus status, string message)
        : base(message) => Status = status;

    /// <summary>The address of the section of the documentation about this exception, unless the program set another one.</summary>
    public override string? HelpLink => base.HelpLink ?? ErrorPage.LinkOf(this);

    /// <summary>The status of the request.</summary>
    public RequestStatus Status { get; }

    /// <summary>Returns the text for a status.</summary>
    /// <param name="status">The status of the request.</param>
    /// <param name="cause">The cause, as a sentence; <c>null</c> if the cause is not known.</param>
    internal static string Describe(RequestStatus status, string? cause) => status switch
    {
        RequestStatus.NotSent => $"The request was not sent. {cause ?? "The peer is not connected."}",
        RequestStatus.Disconnected => $"{cause ?? "The connection ended before the reply arrived."} The remote side may have handled the request.",
        RequestStatus.Full => "The request was not sent. Too many bytes wait to be sent to this peer, or too many requests to it are unanswered. Try again later.",
        RequestStatus.TooLarge => "The request was not sent, because it is larger than the peer's MaxMessageSize. Split it, or raise MessageLimits.MaxMessageSize on the remote side.",
        RequestStatus.ContractMismatch => $"The request was not sent. {cause ?? "The peer declared another contract for the request or its reply. ContractMismatched reports the difference."} Use the same contract on both sides, another id, or MessageHostOptions.AcceptsOtherContracts.",
        _ => $"{cause ?? "The reply cannot be read."} Compare the contracts of both sides.",
    };
}
