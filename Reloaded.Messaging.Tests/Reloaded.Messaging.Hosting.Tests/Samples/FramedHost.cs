using System;
using System.Collections.Concurrent;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>Exchanges events and requests with one program that writes a length of two or four bytes before each message, and replies to requests in their order.</summary>
public sealed class FramedHost : HandlerHost<FramedHost>, IRequestOwner, IAsyncDisposable
{
    private static readonly TimeSpan s_flushTime = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(50);

    private readonly LengthPrefix _prefix;
    private readonly MessageLimits _limits;
    private readonly MessageWriter _writer;
    private readonly HandlerTable<FramedHost, FramedContext> _handlers;
    private readonly ConcurrentDictionary<uint, bool> _requestTypes = new();
    private readonly RequestTable _requests = new(FramedOutbox.MaxUnanswered);
    private readonly CancellationTokenSource _stopping = new();
    private readonly FramedOutbox _outbox;
    private readonly Timer _timer;
    private int _malformed;
    private bool _isKnown; // whether a message of the other program had a handler

    private FramedHost(Stream stream, LengthPrefix prefix)
    {
        _prefix = prefix;
        _limits = PrefixedFrame.GetLimits(prefix);
        _writer = new MessageWriter(_limits);
        _handlers = new(_limits);
        _outbox = new FramedOutbox(stream, prefix);
        _timer = new Timer(_ => _requests.EndOverdue(Environment.TickCount64, Requests), null, s_tick, s_tick);
    }

    /// <summary>Raised when a handler threw, with the type of its message.</summary>
    public event Action<uint, Exception>? HandlerFailed;

    /// <summary>Completes when the other program has closed the stream, or when this host is disposed. Fails when the stream contains something else than messages.</summary>
    public Task Completion { get; private set; } = Task.CompletedTask;

    /// <summary>The counters of requests: timeouts, late replies and faults.</summary>
    public RequestCounters Requests { get; } = new();

    /// <summary>The number of messages that could not be read.</summary>
    public int Malformed => Volatile.Read(ref _malformed);

    internal bool IsStopping => _stopping.IsCancellationRequested;

    /// <summary>Starts a host.</summary>
    /// <param name="stream">The stream, such as a <see cref="System.Net.Sockets.NetworkStream"/>. The host disposes it.</param>
    /// <param name="prefix">The form of the length before each message.</param>
    /// <param name="configure">Registers handlers before the first message is received.</param>
    public static FramedHost Start(Stream stream, LengthPrefix prefix, Action<FramedHost>? configure = null)
    {
        var host = new FramedHost(stream, prefix);
        configure?.Invoke(host);
        host.Completion = Task.Run(() => host.RunAsync(stream));
        return host;
    }

    /// <inheritdoc/>
    public override void AddFilter(Func<HandlerCall, ValueTask> filter, Type? messageType = null) => _handlers.AddFilter(filter, messageType);

    public override HandlerRegistration On<T>(MessageContract<T> contract, EventMessageHandler<T, FramedHost> handler) =>
        _handlers.On(contract, handler);

    public override HandlerRegistration On<T>(MessageContract<T> contract, Func<T, FramedHost, CancellationToken, ValueTask> handler) =>
        _handlers.On(contract, handler);

    public override HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract, MessageContract<TReply> replyContract, RequestHandler<TRequest, TReply, FramedHost> handler)
    {
        _requestTypes[contract.Type] = true;
        return _handlers.OnRequest(contract, replyContract, handler);
    }

    public override HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract, MessageContract<TReply> replyContract, AsyncRequestHandler<TRequest, TReply, FramedHost> handler)
    {
        _requestTypes[contract.Type] = true;
        return _handlers.OnRequest(contract, replyContract, handler);
    }

    /// <summary>Sends an event by the declared contract of its type. Never waits.</summary>
    public SendStatus Send<T>(in T message)
    {
        var contract = MessageContract.GetDeclared<T>();
        using var packed = _writer.Pack(contract, in message);
        return _outbox.Send(packed.Span, contract.IsSecret);
    }

    /// <summary>Sends a request and waits for its reply, by the declared contracts.</summary>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(in TRequest request, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        var contract = MessageContract.GetDeclared<TRequest>();
        var replyContract = MessageContract.GetDeclared<TReply>();
        if (!_requests.TryBegin(this, replyContract, _limits, timeout, cancellationToken, out var pending, out _))
            return pending.ReplyTask; // it has ended already: too many requests wait, the host is closed, or the token is canceled

        var id = pending.Id;
        SendStatus sent;
        try
        {
            using var packed = _writer.Pack(contract, in request);
            sent = _outbox.Ask(id, replyContract.Type, packed.Span, contract.IsSecret);
        }
        catch
        {
            if (_requests.TryTake(id, out _))
                pending.Abandon();
            throw;
        }

        if (sent != SendStatus.Sent && _requests.TryTake(id, out _))
            pending.EndUnsent(sent == SendStatus.Full ? RequestStatus.Full : RequestStatus.NotSent);
        else
            pending.CancelBy(cancellationToken);
        return pending.ReplyTask;
    }

    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync(); // ends the receiving, and cancels the tokens of the handlers
        await Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _timer.DisposeAsync();
    }

    void IRequestOwner.CancelRequest(PendingRequest request)
    {
        if (_requests.TryTake(request.Id, out var taken))
            taken.End(RequestStatus.Canceled);
    }

    string? IRequestOwner.DescribeEnd() => IsStopping ? "The host was disposed." : "The other program closed its stream.";

    void IRequestOwner.ReportFailure(uint type, Exception exception) => ReportFailure(type, exception);

    internal void Reply<TReply>(MessageContract<TReply> contract, in TReply reply, uint requestType, FramedContext context)
    {
        try
        {
            using var packed = _writer.Pack(contract, in reply);
            Answer(context.Number, packed.Span, contract.IsSecret);
        }
        catch (Exception e)
        {
            HandlerInvoker.FailReply(contract, requestType, ref context, e);
        }
    }

    internal void SendFault(uint type, uint number, int code, string text)
    {
        Requests.CountFaultSent();
        using var packed = _writer.PackRaw(new MessageHeader(type, MessageKind.Fault), Fault.Write(code, text, _limits.MaxMessageSize));
        Answer(number, packed.Span, isSecret: false);
    }

    internal void ReportFailure(uint type, Exception exception)
    {
        try
        {
            HandlerFailed?.Invoke(type, exception);
        }
        catch (Exception e)
        {
            Console.Error.WriteLine(e); // of a handler of the event
        }
    }

    private void Answer(uint number, ReadOnlySpan<byte> reply, bool isSecret)
    {
        if (_outbox.Answer(number, reply, isSecret) == SendStatus.Full)
            _stopping.Cancel(); // the other program does not read its replies
    }

    private async Task RunAsync(Stream stream)
    {
        try
        {
            await ReceiveAsync(stream);
        }
        catch (OperationCanceledException) when (IsStopping)
        {
            // The host was disposed.
        }
        finally
        {
            _requests.Close();
            await _outbox.CloseAsync().WaitAsync(s_flushTime).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing); // the other program may have ended, or not read
            await stream.DisposeAsync(); // the other program receives the end
        }
    }

    private async Task ReceiveAsync(Stream stream)
    {
        var received = new byte[64 * 1024];
        var length = 0;
        while (await stream.ReadAsync(received.AsMemory(length), _stopping.Token) is var read and > 0)
        {
            _outbox.Cork(); // the replies to all received messages leave together
            try
            {
                var rest = Receive(received.AsSpan(0, length + read));
                rest.CopyTo(received);
                length = rest.Length;
            }
            finally
            {
                _outbox.Uncork();
            }

            if (length == received.Length)
                Array.Resize(ref received, 2 * length); // a message is larger, up to the limit
        }
    }

    /// <summary>Handles the whole messages of a buffer.</summary>
    /// <returns>The rest of the buffer.</returns>
    private ReadOnlySpan<byte> Receive(ReadOnlySpan<byte> received)
    {
        while (PrefixedFrame.TryRead(_prefix, ref received, _limits.MaxMessageSize, out var message) is var status and not FrameStatus.Incomplete)
        {
            if (status != FrameStatus.Ok)
                throw new InvalidDataException($"The stream contains something else than messages: {status}. Both programs must use the length prefix {_prefix}.");
            Handle(message);
        }

        return received;
    }

    private void Handle(ReadOnlySpan<byte> message)
    {
        if (MessageHeader.TryRead(message, out var header, out var size) != HeaderStatus.Ok)
            Interlocked.Increment(ref _malformed);
        else if (_outbox.TryMatch(in header, out var id))
            EndRequest(id, in header, message.Slice(size));
        else if (header.Kind == MessageKind.Event)
            Call(message, header.Type);
        else
            Interlocked.Increment(ref _malformed); // a fault without a request, or a kind that only hosts with correlation ids send
    }

    private void EndRequest(uint id, in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        _isKnown = true;
        if (_requests.TryTake(id, out var request))
            request.End(in header, payload);
        else
            Requests.CountLateReply();
    }

    private void Call(ReadOnlySpan<byte> message, uint type)
    {
        var context = _requestTypes.ContainsKey(type) ? new FramedContext(this, MessageKind.Request, _outbox.Begin()) : new FramedContext(this, MessageKind.Event, 0);
        ValueTask<DispatchStatus>? running = null;
        if (!HandlerInvoker.TryInvoke(_handlers.Dispatcher, message, type, ref context, out var outcome))
            outcome = HandlerInvoker.Start(_handlers.Dispatcher, message, type, ref context, _stopping.Token, out running);
        if (outcome == HandlerOutcome.Malformed)
            Interlocked.Increment(ref _malformed);
        if (outcome == HandlerOutcome.NoHandler && !_isKnown)
            throw new InvalidDataException($"The first message has the type {type}, which has no handler. The other program does not use the contracts of this one."); // a browser, for example
        _isKnown = true;
        if (running is { } call)
            _ = ObserveAsync(call, type, context);
    }

    private static async Task ObserveAsync(ValueTask<DispatchStatus> call, uint type, FramedContext context)
    {
        try
        {
            await call;
        }
        catch (Exception e)
        {
            HandlerInvoker.Fail(type, ref context, e);
        }
    }
}
