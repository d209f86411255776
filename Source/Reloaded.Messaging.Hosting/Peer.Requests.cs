using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <content>Asking, and answering.</content>
public sealed partial class Peer : IRequestOwner
{
    private string? _endText;

    /// <summary>Sends a request and waits for its reply, by the types' declared contracts.</summary>
    /// <param name="request">The request.</param>
    /// <param name="timeout">How long to wait; null for <see cref="MessageHostOptions.RequestTimeout"/>.</param>
    /// <param name="cancellationToken">Ends the wait, and tells the other side.</param>
    /// <returns>The reply: to await once. Its continuation never runs on the thread that receives.</returns>
    /// <exception cref="RequestFaultException">The other side answered with a fault.</exception>
    /// <exception cref="TimeoutException">Nothing came in time.</exception>
    /// <exception cref="OperationCanceledException">The token ended it.</exception>
    /// <exception cref="RequestFailedException">It wasn't sent, the peer is gone, or the reply can't be read.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the request exceeds a limit of this host or of the transport.</exception>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        StartCounted(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken).ReplyTask;

    /// <summary>The same with contracts of the caller's.</summary>
    /// <inheritdoc cref="RequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        in TRequest request,
        TimeSpan? timeout = null,
        CancellationToken cancellationToken = default) => StartCounted(contract, replyContract, in request, timeout, cancellationToken).ReplyTask;

    /// <summary>Sends a request and waits for how it ends. Throws only when the request can't be packed or exceeds a limit of this side.</summary>
    /// <param name="request">The request.</param>
    /// <param name="timeout">How long to wait; null for <see cref="MessageHostOptions.RequestTimeout"/>.</param>
    /// <param name="cancellationToken">Ends the wait, and tells the other side.</param>
    /// <returns>The reply, or why there is none: to await once.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the request exceeds a limit of this host or of the transport.</exception>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TRequest, TReply>(in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        StartCounted(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken).ResultTask;

    /// <summary>The same for a request that may be tried again. The caller counts how it ends.</summary>
    /// <param name="request">The request.</param>
    /// <param name="timeout">How long to wait for the reply.</param>
    /// <param name="sent">Whether the request was sent and, if not, why.</param>
    /// <param name="size">The size of the request in bytes, if <paramref name="sent"/> is <see cref="SendStatus.Full"/>.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    internal ValueTask<RequestResult<TReply>> TryRequestUncountedAsync<TRequest, TReply>(
        in TRequest request,
        TimeSpan timeout,
        out SendStatus sent,
        out int size,
        CancellationToken cancellationToken) =>
        Start(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken, out sent, out size).ResultTask;

    /// <summary>Counts a request that was not sent. Once for each request.</summary>
    internal void Count(RequestStatus status) => Count(StatusOf(status));

    void IRequestOwner.ReportFailure(uint type, Exception exception) => ReportFailure(type, exception);

    internal void ReportFailure(uint type, Exception exception) => _host.ReportFailure(this, type, exception);

    void IRequestOwner.CancelRequest(PendingRequest request)
    {
        var id = request.Id;
        if (!_requests.TryTake(id, out var taken))
            return;
        taken.End(RequestStatus.Canceled);
        if (IsForeign)
            return;
        Span<byte> payload = stackalloc byte[UVarint.MaxSize];
        SendControl(ControlCode.Cancel, payload.Slice(0, UVarint.Write(payload, id)));
    }

    /// <remarks>The text of an end is made once, since a connection may end with thousands of requests.</remarks>
    string IRequestOwner.DescribeEnd()
    {
        if (_host.DescribeDisposal() is { } disposal)
            return disposal;
        if (Disconnected is not { } reason)
            return IsLeaving ? $"The connection to {RemoteName} is being closed." : $"The handshake with {RemoteName} is not complete.";
        var goodbye = reason == DisconnectReason.Goodbye && GoodbyeReason is { } why ? $", {why}" : "";
        var text = reason == DisconnectReason.Goodbye && GoodbyeText is not null ? $" (\"{GoodbyeText}\")" : "";
        return _endText ??= $"The connection to {RemoteName} ended: {reason}{goodbye}{text}.";
    }

    /// <summary>Completes when a request that was <see cref="RequestStatus.Full"/> may be sent, or the peer is gone.</summary>
    /// <param name="size">The size of the request, in bytes.</param>
    internal Task WaitForRequestRoomAsync(int size)
    {
        var unanswered = _requests.WaitForRoomAsync();
        if (unanswered.IsCompleted && Fifo is not null)
            unanswered = Fifo.WaitForRoomAsync();
        return unanswered.IsCompleted ? _outbox.WaitForRoomAsync(size) : unanswered;
    }

    internal void Reply<T>(MessageContract<T> contract, in T reply, uint requestType, uint correlationId)
    {
        PackedMessage packed;
        try
        {
            packed = PackFor(contract, in reply, MessageKind.Reply, correlationId);
        }
        catch (Exception e)
        {
            FailReply(contract, e, requestType, correlationId);
            return;
        }

        if (packed.Length <= RemoteMaxMessageSize)
        {
            Answer(packed, correlationId, contract.IsSecret);
            return;
        }

        Count(SendStatus.TooLarge);
        var tooLarge = new MessageTooLargeException(
            $"{contract.MessageType} takes {packed.Length} bytes; the other side accepts at most {RemoteMaxMessageSize}. Send less at a time, or raise MaxMessageSize in the MessageLimits of the other side.",
            packed.Length,
            RemoteMaxMessageSize);
        packed.Dispose();
        FailReply(contract, tooLarge, requestType, correlationId);
    }

    private void FailReply(MessageContract contract, Exception reason, uint requestType, uint correlationId)
    {
        var context = new MessageContext(this, MessageKind.Request, correlationId);
        HandlerInvoker.FailReply(contract, requestType, ref context, reason);
    }

    internal void Pong(ReadOnlySpan<byte> payload)
    {
        using var packed = ControlMessage.Pack(ControlCode.Pong, payload);
        EndIfFull(AppendAnswer(packed.Span, isSecret: false));
    }

    internal void SendFault(uint type, uint correlationId, FaultCode code, string text)
    {
        _host.CountFaultSent();
        var header = new MessageHeader(type, MessageKind.Fault, Fifo is null ? correlationId : 0);
        Answer(_host.Writer.PackRaw(header, Fault.Write(code, text, Math.Min(_host.Limits.MaxMessageSize, MaxMessageSize))), correlationId, isSecret: false);
    }

    // Replies may take twice the room of what is sent unasked. Past that the peer only asks and never reads, and to wait for it here while
    // it waits for us would be for ever.
    private int MaxUnread => (int)Math.Min(2L * _host.Options.Limits.MaxPendingBytes, int.MaxValue);

    private void Answer(PackedMessage packed, uint correlationId, bool isSecret)
    {
        if (Fifo is { } fifo)
        {
            var status = fifo.Answer(correlationId, packed, isSecret, MaxUnread, out var lacksTotal);
            while (lacksTotal && _host.EndLargestBacklog(_outbox.ChargedBytes))
                status = fifo.SendAnswers(MaxUnread, out lacksTotal);
            EndIfFull(Count(status));
            return;
        }

        using (packed)
            EndIfFull(Count(AppendAnswer(packed.Span, isSecret)));
    }

    /// <summary>Appends an answer. While the host's pending bytes are used up, the peers that hold more of them than this one are ended.</summary>
    private SendStatus AppendAnswer(ReadOnlySpan<byte> answer, bool isSecret)
    {
        var status = _outbox.TryAppend(answer, isSecret, MaxUnread, out var lacksTotal);
        while (lacksTotal && _host.EndLargestBacklog(_outbox.ChargedBytes))
            status = _outbox.TryAppend(answer, isSecret, MaxUnread, out lacksTotal);
        return status;
    }

    private void EndIfFull(SendStatus status)
    {
        if (status == SendStatus.Full)
            End(DisconnectReason.RepliesUnread);
    }

    private PendingRequest<TReply> StartCounted<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        in TRequest request,
        TimeSpan? timeout,
        CancellationToken cancellationToken)
    {
        var pending = Start(contract, replyContract, in request, timeout, cancellationToken, out var sent, out _);
        Count(sent);
        return pending;
    }

    private PendingRequest<TReply> Start<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        in TRequest request,
        TimeSpan? timeout,
        CancellationToken cancellationToken,
        out SendStatus sent,
        out int size)
    {
        size = 0;
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(replyContract);
        _host.NoteSecret(replyContract);
        var wait = timeout ?? _host.Options.RequestTimeout;
        if (!_requests.TryBegin(this, replyContract, _host.Options.Limits.Messages, wait, cancellationToken, out var pending, out var begun))
        {
            sent = StatusOf(begun);
            return pending;
        }

        var id = pending.Id; // from here on others may end it
        PackedMessage packed;
        try
        {
            packed = PackFor(contract, in request, MessageKind.Request, id);
        }
        catch
        {
            if (_requests.TryTake(id, out _))
                pending.Abandon();
            throw;
        }

        using (packed)
        {
            size = packed.Length;
            sent = Ask(contract, replyContract, packed, id);
        }

        var status = StatusOf(sent);
        if (status != RequestStatus.Replied && _requests.TryTake(id, out _))
            pending.EndUnsent(status);
        else
            pending.CancelBy(cancellationToken);
        return pending;
    }

    private SendStatus Ask(MessageContract contract, MessageContract replyContract, PackedMessage packed, uint id)
    {
        if (Fifo is { } fifo)
            return fifo.Ask(id, replyContract.Type, packed, contract.IsSecret);
        return Contracts.Accepts(replyContract) ? Offer(contract, packed, contract.IsSecret) : UnlessClosed(SendStatus.ContractMismatch);
    }

    private PackedMessage PackFor<T>(MessageContract<T> contract, in T message, MessageKind kind, uint correlationId)
    {
        var packed = Fifo is null ? _host.Writer.Pack(contract, in message, kind, correlationId) : _host.Writer.Pack(contract, in message);
        try
        {
            ThrowIfTooLarge(packed, contract.MessageType);
            return packed;
        }
        catch
        {
            packed.Dispose();
            throw;
        }
    }

    /// <summary>The send status of a request by its end. <see cref="SendStatus.Sent"/> also for a request that was canceled or timed out before it was sent.</summary>
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
