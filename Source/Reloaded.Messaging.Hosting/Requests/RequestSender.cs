using System.Runtime.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Sends the requests of one connection, and stores them until they end.</summary>
internal sealed class RequestSender(Connection connection, Peer peer, HostResources host, RequestCounters counters) : IRequestOwner
{
    private string? _endText;
    private RequestChain _ended; // used only by the receive loop

    /// <summary>The unanswered requests.</summary>
    public readonly RequestTable Unanswered = new(host.Options.Limits.MaxUnansweredRequests, host.Options.AllowSynchronousContinuations);

    /// <summary>Sends a request, and counts it if it was not sent.</summary>
    /// <inheritdoc cref="StartAttempt"/>
    public PendingRequest<TReply> Start<TRequest, TReply>(
        MessageContract contract,
        MessageContract<TReply> replyContract,
        in TRequest request,
        TimeSpan? timeout,
        CancellationToken cancellationToken,
        Action<uint>? starting = null)
    {
        var pending = StartAttempt(contract, replyContract, in request, timeout, out var sent, out _, cancellationToken, host.Requests, starting);
        _ = connection.Sender.Count(sent);
        return pending;
    }

    /// <summary>Sends a request that the caller may send again. The caller counts the last status.</summary>
    /// <param name="contract">The contract of the request, or of the object that is passed as an interface.</param>
    /// <param name="replyContract">The contract of the reply.</param>
    /// <param name="request">The request.</param>
    /// <param name="timeout">The time to wait for the reply; <c>null</c> for the default of the host.</param>
    /// <param name="sent">Whether the request was sent, and otherwise the reason.</param>
    /// <param name="size">The size of the request in bytes, if <paramref name="sent"/> is <see cref="SendStatus.Full"/>.</param>
    /// <param name="cancellationToken">Cancels the request.</param>
    /// <param name="ends">Counts the end of the request; <c>null</c> if it is not counted.</param>
    /// <param name="starting">Called with the correlation id before the request is sent. Its exception is thrown, and the request is not sent.</param>
    public PendingRequest<TReply> StartAttempt<TRequest, TReply>(
        MessageContract contract,
        MessageContract<TReply> replyContract,
        in TRequest request,
        TimeSpan? timeout,
        out SendStatus sent,
        out int size,
        CancellationToken cancellationToken,
        Counters<RequestStatus>? ends = null,
        Action<uint>? starting = null)
    {
        size = 0;
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(replyContract);
        host.NoteSecret(replyContract);
        var wait = timeout ?? host.Options.RequestTimeout;
        var operation = MessageOperation.IsObserved ? StartOperation(contract) : null;
        if (!Unanswered.TryBeginObserved(this, replyContract, host.Options.MessageLimits, wait, operation, ends, cancellationToken, out var pending, out var begun))
        {
            sent = StatusOf(begun);
            return pending;
        }

        host.Watch(peer); // a tick ends the request in time
        sent = PackAndSend(contract, replyContract, in request, pending, operation, starting, out size);
        if (sent == SendStatus.Sent || !TryEndUnsent(contract, replyContract, pending, sent))
            pending.CancelBy(cancellationToken);
        return pending;
    }

    /// <summary>Counts the end of a request that was sent without counting, once for each request.</summary>
    public void Count(RequestStatus end)
    {
        _ = connection.Sender.Count(StatusOf(end));
        if (end != RequestStatus.Replied)
            host.Requests.Add(end);
    }

    /// <summary>Ends the request to which a reply or a fault belongs. Its caller continues after the next <see cref="CompleteEnded"/>.</summary>
    /// <param name="header">The header of the reply or fault.</param>
    /// <param name="payload">The payload.</param>
    /// <param name="expected">The type of the reply that the request expected; 0 if the request has already ended.</param>
    /// <returns><c>false</c> if the request has already ended; otherwise, <c>true</c>.</returns>
    /// <remarks>Only the receive loop calls this method and <see cref="CompleteEnded"/>.</remarks>
    public bool TryEnd(in MessageHeader header, ReadOnlySpan<byte> payload, out uint expected)
    {
        expected = 0;
        if (!Unanswered.TryTake(header.CorrelationId, out var request))
            return false;
        expected = request.ReplyType;
        if (header.Kind == MessageKind.Fault && Fault.TryRead(payload) is { Code: FaultCode.NoHandler } fault && connection.Contracts.NameOf(header.Type) is { } name)
            payload = Fault.Write(fault.Code, $"{name}: {fault.Message}", int.MaxValue); // the remote side knows only the id
        request.SetReply(in header, payload);
        _ended.Add(request);
        return true;
    }

    /// <summary>Lets the callers of the ended requests continue. Call it before other work that may wait for them.</summary>
    public void CompleteEnded()
    {
        if (_ended.IsEmpty)
            return;
        var ended = _ended;
        _ended = default;
        Unanswered.Complete(ended);
    }

    /// <summary>Ends the requests that have timed out.</summary>
    /// <param name="now">The time, in <c>Environment.TickCount64</c>.</param>
    public void EndOverdue(long now) => Unanswered.EndOverdue(now, counters);

    /// <summary>Completes when a request that was <see cref="RequestStatus.Full"/> may be sent, or when the connection has ended.</summary>
    /// <param name="size">The size of the request, in bytes.</param>
    public Task WaitForRoomAsync(int size)
    {
        var unanswered = Unanswered.WaitForRoomAsync();
        return unanswered.IsCompleted ? connection.Outbox.WaitForRoomAsync(size, Delivery.ReliableOrdered) : unanswered;
    }

    void IRequestOwner.ReportFailure(uint type, Exception exception) => peer.Host.Events.ReportFailure(peer, type, exception);

    void IRequestOwner.CancelRequest(PendingRequest request)
    {
        var id = request.Id;
        if (!Unanswered.TryTake(id, out var taken))
            return;
        taken.End(RequestStatus.Canceled);
        Span<byte> payload = stackalloc byte[UVarint.MaxSize];
        connection.SendControl(ControlCode.Cancel, payload.Slice(0, UVarint.Write(payload, id)));
    }

    /// <remarks>The text is created once, because a connection may end with thousands of requests.</remarks>
    string IRequestOwner.DescribeEnd()
    {
        if (peer.Host.DescribeDisposal() is { } disposal)
            return disposal;
        if (connection.EndReason is not { } reason)
            return connection.State == ConnectionState.Closing ? $"The connection to {connection.RemoteName} is being closed." : $"The handshake with {connection.RemoteName} is not complete.";
        var goodbye = reason == DisconnectReason.Goodbye ? connection.Goodbye : null;
        var why = goodbye?.Reason is { } said ? $", {said}" : "";
        var text = goodbye?.Text is { } words ? $" (\"{words}\")" : "";
        return _endText ??= $"The connection to {connection.RemoteName} ended: {reason}{why}{text}.";
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private MessageOperation StartOperation(MessageContract contract) =>
        MessageOperation.Start(OperationKind.Request, contract.MessageType.Name, peer.Host.EndpointTag, connection.RemoteName, peer.ObserverFailed);

    /// <remarks>Separate from its caller, whose frame would be several times as large. Each call clears its frame.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private SendStatus PackAndSend<TRequest, TReply>(
        MessageContract contract,
        MessageContract<TReply> replyContract,
        in TRequest request,
        PendingRequest<TReply> pending,
        MessageOperation? operation,
        Action<uint>? starting,
        out int size)
    {
        var id = pending.Id; // another thread may end the request now
        PackedMessage packed;
        try
        {
            starting?.Invoke(id);
            packed = connection.Sender.PackRequest(contract, in request, id);
        }
        catch
        {
            if (Unanswered.TryTake(id, out _))
                pending.Abandon();
            throw;
        }

        using (packed)
        {
            var context = operation is null ? null : connection.Sender.PackTraceContext(operation, contract.Type, id);
            size = packed.Length + (context?.Length ?? 0);
            return Send(contract, replyContract, packed, context);
        }
    }

    /// <summary>Ends a request that was not sent, unless it has ended already.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryEndUnsent<TReply>(MessageContract contract, MessageContract replyContract, PendingRequest<TReply> pending, SendStatus sent)
    {
        if (!Unanswered.TryTake(pending.Id, out _))
            return false;
        pending.EndUnsent(StatusOf(sent), sent == SendStatus.ContractMismatch ? DescribeMismatch(contract, replyContract) : null);
        return true;
    }

    private string? DescribeMismatch(MessageContract contract, MessageContract replyContract) =>
        (connection.Contracts.DescribeRefusal(contract) ?? connection.Contracts.DescribeRefusal(replyContract)) is { } mismatch
            ? RequestFailedException.Describe(RequestStatus.ContractMismatch, mismatch.ToString())
            : null;

    private SendStatus Send(MessageContract contract, MessageContract replyContract, PackedMessage packed, ReadOnlySpan<byte> context) =>
        connection.Contracts.Accepts(replyContract) ? connection.Sender.Send(contract, packed, isLast: false, MessageKind.Request, context) : connection.Sender.UnlessClosed(SendStatus.ContractMismatch);

    /// <summary>Returns the send status for the status of a request. Returns <see cref="SendStatus.Sent"/> also for a request that was canceled or timed out before it was sent.</summary>
    private static SendStatus StatusOf(RequestStatus end) => end switch
    {
        RequestStatus.Full => SendStatus.Full,
        RequestStatus.NotSent => SendStatus.Closed,
        RequestStatus.TooLarge => SendStatus.TooLarge,
        RequestStatus.ContractMismatch => SendStatus.ContractMismatch,
        _ => SendStatus.Sent,
    };

    private static RequestStatus StatusOf(SendStatus sent) => sent switch
    {
        SendStatus.Sent => RequestStatus.Replied,
        SendStatus.Full => RequestStatus.Full,
        SendStatus.TooLarge => RequestStatus.TooLarge,
        SendStatus.ContractMismatch => RequestStatus.ContractMismatch,
        _ => RequestStatus.NotSent,
    };
}
