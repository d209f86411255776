using System;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>Asking, and answering.</content>
public sealed partial class RabbitHost
{
    private readonly string _expiration;
    private readonly Requester _requester;

    /// <summary>Sends a request and waits for its reply, by the types' declared contracts. At most once: it is never sent or handed out again.</summary>
    /// <param name="to">A name that hosts answer to (<see cref="AnswerAsync"/>), or one host's <see cref="Id"/>.</param>
    /// <param name="request">The request.</param>
    /// <param name="timeout">How long to wait; null for <see cref="RabbitOptions.RequestTimeout"/>. The broker keeps the request no longer.</param>
    /// <param name="cancellationToken">Ends the wait. The other side is not told: which host has the request, only the broker knows.</param>
    /// <returns>The reply: to await once. Its continuation never runs on the thread that receives.</returns>
    /// <exception cref="RequestFaultException">The other side answered with a fault.</exception>
    /// <exception cref="TimeoutException">Nothing came in time.</exception>
    /// <exception cref="OperationCanceledException">The token ended it.</exception>
    /// <exception cref="RequestFailedException">It wasn't sent, nobody answers to that name, the connection was lost, or the reply can't be read.</exception>
    /// <exception cref="MessageTooLargeException">The request exceeds a limit.</exception>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(string to, in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Start<TRequest, TReply>(to, in request, timeout, cancellationToken).ReplyTask;

    /// <summary>Sends a request and waits for how it ends. Throws for nothing but a request that can't be packed.</summary>
    /// <inheritdoc cref="RequestAsync{TRequest, TReply}(string, in TRequest, TimeSpan?, CancellationToken)" path="/param"/>
    /// <returns>The reply, or why there is none: to await once. Disconnected if nobody answers to that name, or the connection was lost.</returns>
    /// <exception cref="MessageTooLargeException">The request exceeds a limit.</exception>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TRequest, TReply>(
        string to,
        in TRequest request,
        TimeSpan? timeout = null,
        CancellationToken cancellationToken = default) => Start<TRequest, TReply>(to, in request, timeout, cancellationToken).ResultTask;

    /// <summary>A reply or a fault came.</summary>
    internal void EndRequest(in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        if (_requests.TryTake(header.CorrelationId, out var request))
            request.End(in header, payload);
        else
            _requestCounts.CountLateReply();
    }

    /// <summary>A request came back: nobody answers to its name.</summary>
    internal void EndUnrouted(uint correlationId, string name)
    {
        if (_requests.TryTake(correlationId, out var request))
            request.End(RequestStatus.Disconnected, $"Nobody answers to '{name}'. Call {nameof(AnswerAsync)} with that name on a host, or check that the host with that id is connected.");
    }

    internal void Reply<T>(MessageContract<T> contract, in T reply, uint requestType, in Incoming incoming)
    {
        PackedMessage packed;
        try
        {
            packed = _writer.Pack(contract, in reply, MessageKind.Reply, incoming.CorrelationId);
        }
        catch (Exception e)
        {
            var context = incoming;
            HandlerInvoker.FailReply(contract, requestType, ref context, e);
            return;
        }

        using (packed)
            Answer(packed.Span, in incoming, contract.IsSecret);
    }

    internal void SendFault(uint type, in Incoming incoming, FaultCode code, string text)
    {
        _requestCounts.CountFaultSent();
        var header = new MessageHeader(type, MessageKind.Fault, incoming.CorrelationId);
        using var packed = _writer.PackRaw(header, Fault.Write(code, text, Options.Limits.Messages.MaxMessageSize));
        Answer(packed.Span, in incoming, isSecret: false);
    }

    private void Answer(ReadOnlySpan<byte> message, in Incoming incoming, bool isSecret)
    {
        var sender = incoming.From.Sender;
        if (!TopologyNames.IsKey(sender) || AtMostOnceQueue.TryAdd(message, sender, OutgoingKind.Answer, isSecret, _expiration) != SendStatus.Sent)
            Interlocked.Increment(ref _droppedAnswers);
    }

    private PendingRequest<TReply> Start<TRequest, TReply>(string to, in TRequest request, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        TopologyNames.Checked(to, 2 * TopologyNames.MaxName, nameof(to));
        var (contract, replyContract) = (MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>());
        var wait = timeout ?? Options.RequestTimeout;
        if (!_requests.TryBegin(_requester, replyContract, Options.Limits.Messages, wait, cancellationToken, out var pending, out _))
            return pending;

        var id = pending.Id; // from here on others may end it
        PackedMessage packed;
        try
        {
            packed = _writer.Pack(contract, in request, MessageKind.Request, id);
        }
        catch
        {
            if (_requests.TryTake(id, out _))
                pending.Abandon();
            throw;
        }

        SendStatus sent;
        using (packed)
            sent = Count(AtMostOnceQueue.TryAdd(packed.Span, to, OutgoingKind.Request, contract.IsSecret, wait == Options.RequestTimeout ? _expiration : Expiration(wait)));
        if (sent != SendStatus.Sent && _requests.TryTake(id, out _))
        {
            if (sent == SendStatus.Full)
                pending.EndUnsent(RequestStatus.Full, State == LinkState.Blocked ? "The request was not sent: the broker takes no messages, because it runs out of memory or disk. Try again later." : null);
            else
                pending.EndUnsent(RequestStatus.NotSent, "The request was not sent: there is no connection to the broker.");
        }
        else
            pending.CancelBy(cancellationToken);
        return pending;
    }

    /// <summary>As AMQP wants it: whole milliseconds, 32 bits of them.</summary>
    private static string Expiration(TimeSpan time) => ((long)Math.Clamp(Math.Ceiling(time.TotalMilliseconds), 1, int.MaxValue)).ToString(CultureInfo.InvariantCulture);

    /// <summary>Hears of the requests that this host sent.</summary>
    private sealed class Requester(RabbitHost host) : IRequestOwner
    {
        public void CancelRequest(PendingRequest request)
        {
            if (host._requests.TryTake(request.Id, out var taken))
                taken.End(RequestStatus.Canceled);
        }

        public string? DescribeEnd() => null;

        public void ReportFailure(uint type, Exception exception) => host.ReportFailure(default, type, exception);
    }
}
