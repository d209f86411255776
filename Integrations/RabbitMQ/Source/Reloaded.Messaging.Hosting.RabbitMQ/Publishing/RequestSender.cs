using System;
using System.Diagnostics;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Sends requests, and ends them with their replies.</summary>
internal sealed class RequestSender : IRequestOwner
{
    /// <summary>The maximum number of unanswered requests, as of a host without a broker.</summary>
    private const int MaxUnanswered = 1024;

    private readonly PublishQueues _queues;
    private readonly MessageWriter _writer;
    private readonly RequestTable _requests;
    private readonly string _expiration;

    public RequestSender(PublishQueues queues, MessageWriter writer)
    {
        (_queues, _writer) = (queues, writer);
        _requests = new RequestTable(MaxUnanswered);
        _expiration = ExpirationOf(queues.Options.RequestTimeout);
        queues.Unanswered += EndUnrouted;
    }

    /// <summary>Handles a received reply or fault.</summary>
    public void EndRequest(in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        if (_requests.TryTake(header.CorrelationId, out var request))
            request.End(in header, payload);
        else
            _queues.Reports.Requests.CountLateReply();
    }

    /// <summary>Handles a returned request: no host replies to its name.</summary>
    public void EndUnrouted(uint correlationId, string name)
    {
        if (_requests.TryTake(correlationId, out var request))
            request.End(RequestStatus.Disconnected, $"No host replies to '{name}'. Call AnswerAsync with this name on a host, or check that the host with this id is connected.");
    }

    /// <summary>Sends a request and waits for its reply.</summary>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(string to, MessageContract contract, in TRequest request, TimeSpan? timeout, CancellationToken cancellationToken) => InstrumentSet.Published is { ObservesRequests: true }
        ? ObserveAsync<TRequest, TReply, TReply>(to, contract, request, timeout, static pending => pending.ReplyTask, static _ => null, cancellationToken)
        : Start<TRequest, TReply>(to, contract, in request, timeout, cancellationToken).ReplyTask;

    /// <summary>Sends a request and waits for its result.</summary>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TRequest, TReply>(string to, MessageContract contract, in TRequest request, TimeSpan? timeout, CancellationToken cancellationToken) => InstrumentSet.Published is { ObservesRequests: true }
        ? ObserveAsync<TRequest, TReply, RequestResult<TReply>>(to, contract, request, timeout, static pending => pending.ResultTask, static result => result.Status == RequestStatus.Replied ? null : result.Status.ToString(), cancellationToken)
        : Start<TRequest, TReply>(to, contract, in request, timeout, cancellationToken).ResultTask;

    /// <summary>Sends a request inside its span, and measures its duration.</summary>
    private async ValueTask<TResult> ObserveAsync<TRequest, TReply, TResult>(
        string to,
        MessageContract contract,
        TRequest request,
        TimeSpan? timeout,
        Func<PendingRequest<TReply>, ValueTask<TResult>> read,
        Func<TResult, string?> errorOf,
        CancellationToken cancellationToken)
    {
        var (type, host, reports, startedAt) = (contract.MessageType.Name, _queues.Options.Name, _queues.Reports, Stopwatch.GetTimestamp());
        var span = InstrumentSet.Published is { IsTraced: true } ? RabbitTracing.StartRequest(type, to, host, reports) : null; // current until this method ends
        string? error = null;
        try
        {
            var result = await read(Start<TRequest, TReply>(to, contract, in request, timeout, cancellationToken)).ConfigureAwait(false);
            error = errorOf(result);
            return result;
        }
        catch (Exception e)
        {
            error = e switch
            {
                RequestFaultException => nameof(RequestStatus.Faulted),
                RequestFailedException failed => failed.Status.ToString(),
                TimeoutException => nameof(RequestStatus.TimedOut),
                OperationCanceledException => nameof(RequestStatus.Canceled),
                _ => e.GetType().Name,
            };
            throw;
        }
        finally
        {
            RabbitTracing.RecordRequest(isHandler: false, Stopwatch.GetElapsedTime(startedAt), type, host, error, reports);
            RabbitTracing.End(span, error, reports);
        }
    }

    private PendingRequest<TReply> Start<TRequest, TReply>(string to, MessageContract contract, in TRequest request, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        AmqpName.Checked(to, 2 * AmqpName.MaxName, nameof(to));
        var replyContract = MessageContract.GetDeclared<TReply>();
        var wait = timeout ?? _queues.Options.RequestTimeout;
        if (!_requests.TryBegin(this, replyContract, _queues.Options.MessageLimits, wait, cancellationToken, out var pending, out _))
            return pending;

        var id = pending.Id; // from here on, other threads may end the request
        PackedMessage packed;
        try
        {
            packed = contract is MessageContract<TRequest> known
                ? _writer.Pack(known, in request, MessageKind.Request, id)
                : _writer.PackObject(contract, request!, MessageKind.Request, id);
        }
        catch
        {
            if (_requests.TryTake(id, out _))
                pending.Abandon();
            throw;
        }

        SendStatus sent;
        using (packed)
            sent = _queues.Reports.CountUnsent(_queues.Direct.TryAdd(packed.Span, to, OutgoingKind.Request, contract.IsSecret, wait == _queues.Options.RequestTimeout ? _expiration : ExpirationOf(wait)));
        if (sent != SendStatus.Sent && _requests.TryTake(id, out _))
        {
            if (sent == SendStatus.Full)
                pending.EndUnsent(RequestStatus.Full, _queues.Direct.IsBlocked ? "The request was not sent. The broker accepts no messages, because it is low on memory or disk. Try again later." : null);
            else
                pending.EndUnsent(RequestStatus.NotSent, "The request was not sent. The host is not connected to the broker. Try again after it has reconnected.");
        }
        else
            pending.CancelBy(cancellationToken);
        return pending;
    }

    /// <summary>Converts a time to the format of AMQP: whole milliseconds in 32 bits.</summary>
    public static string ExpirationOf(TimeSpan time) => ((long)Math.Clamp(Math.Ceiling(time.TotalMilliseconds), 1, int.MaxValue)).ToString(CultureInfo.InvariantCulture);

    /// <summary>Ends the requests whose timeout has passed.</summary>
    public void EndOverdue() => _requests.EndOverdue(Environment.TickCount64, _queues.Reports.Requests);

    /// <summary>Ends all requests, because the connection is lost.</summary>
    public void EndAll() => _requests.EndAll();

    /// <summary>Ends all requests and accepts no others.</summary>
    public void Close() => _requests.Close();

    void IRequestOwner.CancelRequest(PendingRequest request)
    {
        if (_requests.TryTake(request.Id, out var taken))
            taken.End(RequestStatus.Canceled);
    }

    string? IRequestOwner.DescribeEnd() => null;

    void IRequestOwner.ReportFailure(uint type, Exception exception) => _queues.Reports.ReportFailure(default, type, exception);
}
