namespace Reloaded.Messaging.Hosting;

/// <summary>The outcome of a request.</summary>
public readonly struct RequestResult<TReply>
{
    internal RequestResult(RequestStatus status, TReply? reply, RequestFaultException? fault) =>
        (Status, Reply, Fault) = (status, reply, fault);

    /// <summary>The status.</summary>
    public RequestStatus Status { get; }

    /// <summary>The reply, if the status is <see cref="RequestStatus.Replied"/>.</summary>
    public TReply? Reply { get; }

    /// <summary>The fault, if the status is <see cref="RequestStatus.Faulted"/>.</summary>
    public RequestFaultException? Fault { get; }

    /// <summary>The text of the exception; <c>null</c> for the default text of <see cref="Status"/>.</summary>
    internal string? Detail { get; init; }

    /// <summary>The result of a request without a reply in its time.</summary>
    internal static RequestResult<TReply> TimedOutAfter(TimeSpan timeout) => new(RequestStatus.TimedOut, default, null)
    {
        Detail = FormattableString.Invariant($"No {typeof(TReply).Name} arrived within {timeout.TotalSeconds:0.###} s. The remote side may still handle the request. Raise its timeout or {nameof(MessageHostOptions)}.{nameof(MessageHostOptions.RequestTimeout)}, or check the remote side."),
    };

    /// <summary>Returns the reply, or throws the exception of the status.</summary>
    /// <exception cref="RequestFaultException">Thrown when the remote side replied with a fault.</exception>
    /// <exception cref="TimeoutException">Thrown when no reply arrived within the timeout.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the caller's token was canceled.</exception>
    /// <exception cref="RequestFailedException">Thrown for every other status without a reply.</exception>
    public TReply GetReply() => Status switch
    {
        RequestStatus.Replied => Reply!,
        RequestStatus.Faulted => throw Fault!,
        RequestStatus.TimedOut => throw new TimeoutException(Detail ?? $"No {typeof(TReply).Name} arrived in time."),
        RequestStatus.Canceled => throw new OperationCanceledException("The request was canceled."),
        _ => throw (Detail is null ? new RequestFailedException(Status) : new RequestFailedException(Status, Detail)),
    };
}
