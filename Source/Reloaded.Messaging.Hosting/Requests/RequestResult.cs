using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>How a request ended, and with what.</summary>
/// <param name="Status">How it ended.</param>
/// <param name="Reply">The reply, if there is one.</param>
/// <param name="Fault">The fault, if there is one.</param>
public readonly record struct RequestResult<TReply>(RequestStatus Status, TReply? Reply, RequestFaultException? Fault)
{
    /// <summary>The exception's text. <c>null</c> for the text of <see cref="Status"/>.</summary>
    internal string? Detail { get; init; }

    /// <summary>The reply.</summary>
    /// <exception cref="RequestFaultException">It was a fault.</exception>
    /// <exception cref="TimeoutException">Nothing came in time.</exception>
    /// <exception cref="OperationCanceledException">The caller's token ended it.</exception>
    /// <exception cref="RequestFailedException">It ended otherwise.</exception>
    public TReply GetReply() => Status switch
    {
        RequestStatus.Replied => Reply!,
        RequestStatus.Faulted => throw Fault!,
        RequestStatus.TimedOut => throw new TimeoutException($"No {typeof(TReply).Name} came within the timeout of the request, or {nameof(MessageHostOptions)}.{nameof(MessageHostOptions.RequestTimeout)}. The other side may be busy, or handle it still."),
        RequestStatus.Canceled => throw new OperationCanceledException("The request was canceled."),
        _ => throw (Detail is null ? new RequestFailedException(Status) : new RequestFailedException(Status, Detail)),
    };
}
