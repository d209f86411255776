using System;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>Requests and replies.</content>
public sealed partial class RabbitHost
{
    private readonly string _expiration;
    private readonly Requester _requester;

    /// <summary>Sends a request and waits for its reply, by the declared contracts. Delivered at most once: a request is never sent or delivered again.</summary>
    /// <param name="to">A name to which hosts reply (<see cref="AnswerAsync"/>), or the <see cref="Id"/> of one host.</param>
    /// <param name="request">The request.</param>
    /// <param name="timeout">The time to wait; <c>null</c> uses <see cref="RabbitOptions.RequestTimeout"/>. The broker drops the request after this time.</param>
    /// <param name="cancellationToken">Ends the wait. The handler is not canceled, because only the broker knows which host has the request.</param>
    /// <returns>The reply. Await it once. Its continuation never runs on the receiving thread.</returns>
    /// <exception cref="RequestFaultException">Thrown when the remote side replied with a fault.</exception>
    /// <exception cref="TimeoutException">Thrown when no reply arrived in time.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token ended the wait.</exception>
    /// <exception cref="RequestFailedException">Thrown when the request was not sent, when no host replies to the name, when the connection was lost, or when the reply cannot be read.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the request exceeds a limit.</exception>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(string to, in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Start<TRequest, TReply>(to, in request, timeout, cancellationToken).ReplyTask;

    /// <summary>Sends a request and waits for its result. Throws only for a request that cannot be packed.</summary>
    /// <inheritdoc cref="RequestAsync{TRequest, TReply}(string, in TRequest, TimeSpan?, CancellationToken)" path="/param"/>
    /// <returns>The reply, or the status of the failed request. Await it once. The status is Disconnected if no host replies to the name or the connection was lost.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the request exceeds a limit.</exception>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TRequest, TReply>(
        string to,
        in TRequest request,
        TimeSpan? timeout = null,
        CancellationToken cancellationToken = default) => Start<TRequest, TReply>(to, in request, timeout, cancellationToken).ResultTask;

    /// <summary>Handles a received reply or fault.</summary>
    internal void EndRequest(in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        if (_requests.TryTake(header.CorrelationId, out var request))
            request.End(in header, payload);
        else
            _requestCounts.CountLateReply();
    }

    /// <summary>Handles a returned request: no host replies to its name.</summary>
    internal void EndUnrouted(uint correlationId, string name)
    {
        if (_requests.TryTake(correlationId, out var request))
            request.End(RequestStatus.Disconnected, $"No host replies to '{name}'. Call {nameof(AnswerAsync)} with this name on a host, or check that the host with this id is connected.");
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
        using var packed = _writer.PackRaw(header, Fault.Write(code, text, Options.MessageLimits.MaxMessageSize));
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
        if (!_requests.TryBegin(_requester, replyContract, Options.MessageLimits, wait, cancellationToken, out var pending, out _))
            return pending;

        var id = pending.Id; // from here on, other threads may end the request
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
                pending.EndUnsent(RequestStatus.Full, State == LinkState.Blocked ? "The request was not sent. The broker accepts no messages, because it is low on memory or disk. Try again later." : null);
            else
                pending.EndUnsent(RequestStatus.NotSent, "The request was not sent. The host is not connected to the broker. Try again after it has reconnected.");
        }
        else
            pending.CancelBy(cancellationToken);
        return pending;
    }

    /// <summary>Converts a time to the format of AMQP: whole milliseconds in 32 bits.</summary>
    private static string Expiration(TimeSpan time) => ((long)Math.Clamp(Math.Ceiling(time.TotalMilliseconds), 1, int.MaxValue)).ToString(CultureInfo.InvariantCulture);

    /// <summary>Receives the results of the requests that this host sent.</summary>
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
