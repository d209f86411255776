using System;
using System.Buffers;
using System.IO;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.Authoring;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>Exchanges events and requests with one other program over two streams, for example over the standard input and output of a child process.</summary>
public sealed class StreamHost : HandlerHost<StreamHost>, IRequestOwner, IAsyncDisposable
{
    private static readonly TimeSpan s_flushTime = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(50);

    private readonly MessageLimits _limits = MessageLimits.Default;
    private readonly MessageWriter _writer = new();
    private readonly HandlerTable<StreamHost, StreamContext> _handlers = new(MessageLimits.Default);
    private readonly RequestTable _requests = new(limit: 1024);
    private readonly CancellationTokenSource _stopping = new();
    private readonly Stream _output;
    private readonly StreamOutbox _outbox;
    private readonly Timer _timer;
    private int _malformed;

    private StreamHost(Stream output)
    {
        _output = output;
        _outbox = new StreamOutbox(output);
        _timer = new Timer(_ => _requests.EndOverdue(Environment.TickCount64, Requests), null, s_tick, s_tick);
    }

    /// <summary>Raised when a handler threw, with the type of its message.</summary>
    public event Action<uint, Exception>? HandlerFailed;

    /// <summary>Completes when the remote side has closed its stream, or when this host is disposed. Fails when the stream contains something else than messages.</summary>
    public Task Completion { get; private set; } = Task.CompletedTask;

    /// <summary>The counters of requests: timeouts, late replies and faults.</summary>
    public RequestCounters Requests { get; } = new();

    /// <summary>The number of messages that could not be read.</summary>
    public int Malformed => Volatile.Read(ref _malformed);

    internal bool IsStopping => _stopping.IsCancellationRequested;

    /// <summary>Starts a host.</summary>
    /// <param name="input">The stream to receive from.</param>
    /// <param name="output">The stream to send to.</param>
    /// <param name="configure">Registers handlers before the first message is received.</param>
    public static StreamHost Start(Stream input, Stream output, Action<StreamHost>? configure = null)
    {
        var host = new StreamHost(output);
        configure?.Invoke(host);
        host.Completion = Task.Run(() => host.RunAsync(input));
        return host;
    }

    /// <inheritdoc/>
    public override void AddFilter(Func<HandlerCall, ValueTask> filter, Type? messageType = null) => _handlers.AddFilter(filter, messageType);

    public override HandlerRegistration On<T>(MessageContract<T> contract, EventMessageHandler<T, StreamHost> handler) =>
        _handlers.On(contract, handler);

    public override HandlerRegistration On<T>(MessageContract<T> contract, Func<T, StreamHost, CancellationToken, ValueTask> handler) =>
        _handlers.On(contract, handler);

    public override HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract, MessageContract<TReply> replyContract, RequestHandler<TRequest, TReply, StreamHost> handler) =>
        _handlers.OnRequest(contract, replyContract, handler);

    public override HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract, MessageContract<TReply> replyContract, AsyncRequestHandler<TRequest, TReply, StreamHost> handler) =>
        _handlers.OnRequest(contract, replyContract, handler);

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
        if (!_requests.TryBegin(this, MessageContract.GetDeclared<TReply>(), _limits, timeout, cancellationToken, out var pending, out _))
            return pending.ReplyTask; // it has ended already: too many requests wait, the host is closed, or the token is canceled

        var id = pending.Id;
        SendStatus sent;
        try
        {
            using var packed = _writer.Pack(contract, in request, MessageKind.Request, id);
            sent = _outbox.Send(packed.Span, contract.IsSecret);
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

    internal void Reply<TReply>(MessageContract<TReply> contract, in TReply reply, uint requestType, StreamContext context)
    {
        try
        {
            using var packed = _writer.Pack(contract, in reply, MessageKind.Reply, context.CorrelationId);
            SendReply(packed.Span, contract.IsSecret);
        }
        catch (Exception e)
        {
            HandlerInvoker.FailReply(contract, requestType, ref context, e);
        }
    }

    internal void SendFault(uint type, uint correlationId, int code, string text)
    {
        Requests.CountFaultSent();
        var header = new MessageHeader(type, MessageKind.Fault, correlationId);
        using var packed = _writer.PackRaw(header, Fault.Write(code, text, _limits.MaxMessageSize));
        SendReply(packed.Span, isSecret: false);
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

    private void SendReply(ReadOnlySpan<byte> message, bool isSecret)
    {
        if (_outbox.Send(message, isSecret) == SendStatus.Full)
            _stopping.Cancel(); // the other program does not read its replies
    }

    private async Task RunAsync(Stream input)
    {
        var writing = _outbox.WriteAsync();
        try
        {
            await ReceiveAsync(PipeReader.Create(input));
        }
        catch (OperationCanceledException) when (IsStopping)
        {
            // The host was disposed.
        }
        finally
        {
            _requests.Close();
            _outbox.Close();
            await writing.WaitAsync(s_flushTime).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing); // the other program may have ended, or not read
            await _output.DisposeAsync(); // the other program receives the end
            _outbox.Dispose();
        }
    }

    private async Task ReceiveAsync(PipeReader reader)
    {
        ReadResult read;
        do
        {
            read = await reader.ReadAsync(_stopping.Token);
            reader.AdvanceTo(read.Buffer.GetPosition(Receive(read.Buffer)), read.Buffer.End);
        }
        while (!read.IsCompleted);
    }

    /// <summary>Handles the whole messages in a buffer.</summary>
    /// <returns>The length of the messages.</returns>
    private long Receive(ReadOnlySequence<byte> buffer)
    {
        var rest = buffer.IsSingleSegment ? buffer.FirstSpan : buffer.ToArray();
        while (Frame.TryRead(ref rest, _limits.MaxMessageSize, out var message) is var status and not FrameStatus.Incomplete)
        {
            if (status != FrameStatus.Ok)
                throw new InvalidDataException($"The stream contains something else than messages: {status}. Both programs must send messages only.");
            Handle(message);
        }

        return buffer.Length - rest.Length;
    }

    private void Handle(ReadOnlySpan<byte> message)
    {
        if (MessageHeader.TryRead(message, out var header, out var size) != HeaderStatus.Ok)
        {
            Interlocked.Increment(ref _malformed);
            return;
        }

        switch (header.Kind)
        {
            case MessageKind.Reply or MessageKind.Fault:
                if (_requests.TryTake(header.CorrelationId, out var request))
                    request.End(in header, message.Slice(size));
                else
                    Requests.CountLateReply();
                break;
            case MessageKind.Event or MessageKind.Request:
                var context = new StreamContext(this, header.Kind, header.CorrelationId);
                if (HandlerInvoker.Start(_handlers.Dispatcher, message, header.Type, ref context, _stopping.Token, out var running) == HandlerOutcome.Malformed)
                    Interlocked.Increment(ref _malformed);
                if (running is { } call)
                    _ = ObserveAsync(call, header.Type, context);
                break;
        }
    }

    private static async Task ObserveAsync(ValueTask<DispatchStatus> call, uint type, StreamContext context)
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
