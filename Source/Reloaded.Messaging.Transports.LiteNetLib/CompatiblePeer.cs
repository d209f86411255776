using System.Diagnostics.CodeAnalysis;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>A program built on Reloaded.Messaging 2.0, as a peer of a <see cref="CompatibleHost"/>. Thread-safe.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The cancellation source has no timer and no linked token, and the semaphore has no wait handle, so they hold no resources.")]
public sealed class CompatiblePeer
{
    private const int MaxRunningHandlers = 1024;
    private const int MaxMalformedMessages = 16;

    private static readonly TimeSpan s_longestHandler = TimeSpan.FromSeconds(15);

    private readonly CompatibleHost _host;
    private readonly CompatibleChannel _channel;
    private readonly CompatibleOutbox _outbox;
    private readonly CancellationTokenSource _ended = new();
    private readonly SemaphoreSlim _handlers = new(MaxRunningHandlers);
    private readonly TaskCompletionSource _freed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _announcement;
    private int _isEnding;
    private int _malformed;

    internal CompatiblePeer(CompatibleHost host, CompatibleChannel channel)
    {
        (_host, _channel) = (host, channel);
        _outbox = new CompatibleOutbox(channel, _ended.Token);
    }

    /// <summary>The address of the program.</summary>
    public string RemoteName => _channel.RemoteName;

    /// <summary>Whether the connection is open.</summary>
    public bool IsConnected => Volatile.Read(ref _isEnding) == 0;

    internal bool IsStopping => _ended.IsCancellationRequested;

    internal void ReportFailure(uint type, Exception exception) => _host.ReportFailure(this, type, exception);

    /// <summary>Sends an event by its declared contract. Never waits.</summary>
    /// <param name="message">The event.</param>
    /// <inheritdoc cref="Send{T}(MessageContract{T}, in T)"/>
    public SendStatus Send<T>(in T message) => Send(MessageContract.GetDeclared<T>(), in message);

    /// <summary>Sends an event. Never waits.</summary>
    /// <param name="contract">The contract, with a type of 0 to 127.</param>
    /// <param name="message">The event.</param>
    /// <returns><see cref="SendStatus.Sent"/> if the event is queued; <see cref="SendStatus.Full"/> if 4 MiB wait; <see cref="SendStatus.Closed"/> if the program has disconnected.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type is above 127.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the event exceeds the limits of the host.</exception>
    public SendStatus Send<T>(MessageContract<T> contract, in T message) => _outbox.Append(_host.Pack(contract, in message));

    /// <summary>Sends an event by its declared contract. Waits while the queue of the peer is full.</summary>
    /// <param name="message">The event. It is packed before the call returns.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <inheritdoc cref="Send{T}(MessageContract{T}, in T)"/>
    public ValueTask<SendStatus> SendAsync<T>(in T message, CancellationToken cancellationToken = default) =>
        SendAsync(MessageContract.GetDeclared<T>(), in message, cancellationToken);

    /// <summary>Sends an event. Waits while the queue of the peer is full.</summary>
    /// <param name="contract">The contract, with a type of 0 to 127.</param>
    /// <param name="message">The event. It is packed before the call returns.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <inheritdoc cref="Send{T}(MessageContract{T}, in T)"/>
    public ValueTask<SendStatus> SendAsync<T>(MessageContract<T> contract, in T message, CancellationToken cancellationToken = default) =>
        _outbox.AppendAsync(_host.Pack(contract, in message), cancellationToken);

    /// <summary>Disconnects the program when it has acknowledged all sent messages, or after the <c>flushTimeout</c> of the host.</summary>
    /// <returns>Completes when the connection has ended.</returns>
    public Task DisconnectAsync() => EndAsync(DisconnectReason.Requested);

    /// <summary>The address of the program.</summary>
    public override string ToString() => RemoteName;

    /// <summary>Raises the event of the host, and handles messages until the connection ends.</summary>
    internal async Task RunAsync()
    {
        if (Interlocked.CompareExchange(ref _announcement, Announcement.Begun, Announcement.None) != Announcement.None)
            return; // the host was disposed
        _host.RaiseConnected(this);
        if (Interlocked.CompareExchange(ref _announcement, Announcement.Made, Announcement.Begun) != Announcement.Begun)
        {
            _host.RaiseDisconnected(this, DisconnectReason.Requested);
            return;
        }

        await EndAsync(await ReceiveAsync().ConfigureAwait(false)).ConfigureAwait(false);
    }

    /// <summary>Ends the connection once.</summary>
    /// <param name="reason">The reason. Only <see cref="DisconnectReason.Requested"/> sends the messages that wait.</param>
    /// <returns>Completes when the connection has ended.</returns>
    internal Task EndAsync(DisconnectReason reason)
    {
        if (Interlocked.Exchange(ref _isEnding, 1) == 0)
            _ = Detached.Run(() => FreeAsync(reason));
        return _freed.Task;
    }

    private async Task<DisconnectReason> ReceiveAsync()
    {
        try
        {
            while (!IsStopping)
            {
                var message = await _channel.ReceiveMessageAsync().ConfigureAwait(false);
                try
                {
                    if (message.IsEmpty)
                        return DisconnectReason.Malformed;
                    if (IsStopping)
                        return DisconnectReason.Requested;
                    if (Handle(message.Span) is { } reason)
                        return reason;
                }
                finally
                {
                    _channel.ReturnMessage();
                }

                if (_handlers.CurrentCount == 0 && !await WaitForHandlerAsync().ConfigureAwait(false))
                    return DisconnectReason.TooManyRunningHandlers;
            }

            return DisconnectReason.Requested;
        }
        catch (Exception e) when (e is TransportClosedException or OperationCanceledException)
        {
            return DisconnectReason.ConnectionLost;
        }
    }

    private DisconnectReason? Handle(ReadOnlySpan<byte> message)
    {
        var type = MessageHeader.TryRead(message, out var header, out _) == HeaderStatus.Ok ? header.Type : 0;
        var context = new CompatibleContext(this);
        ValueTask<DispatchStatus>? running = null;
        if (!HandlerInvoker.TryInvoke(_host.Handlers.Dispatcher, message, type, ref context, out var outcome))
            outcome = HandlerInvoker.Start(_host.Handlers.Dispatcher, message, type, ref context, _ended.Token, out running);
        if (running is { } call)
            _ = ObserveAsync(call, type, context);
        if (outcome != HandlerOutcome.Malformed)
            return null;
        _host.CountMalformed();
        return ++_malformed > MaxMalformedMessages ? DisconnectReason.Malformed : null;
    }

    private async Task ObserveAsync(ValueTask<DispatchStatus> call, uint type, CompatibleContext context)
    {
        _handlers.Wait(0, CancellationToken.None); // a place is free, because the receiving waits for one
        try
        {
            await call.ConfigureAwait(false);
        }
        catch (Exception e)
        {
            HandlerInvoker.Fail(type, ref context, e);
        }
        finally
        {
            _handlers.Release();
        }
    }

    private async Task<bool> WaitForHandlerAsync()
    {
        if (!await _handlers.WaitAsync(s_longestHandler, _ended.Token).ConfigureAwait(false))
            return false;
        _handlers.Release();
        return true;
    }

    private async Task FreeAsync(DisconnectReason reason)
    {
        var sent = _outbox.SealAsync();
        if (reason != DisconnectReason.Requested || await Task.WhenAny(sent, Task.Delay(_host.FlushTimeout, _ended.Token)).ConfigureAwait(false) != sent)
            _channel.Abort();
        var canceled = _ended.CancelAsync();
        await sent.ConfigureAwait(false);
        await _channel.DisposeAsync().ConfigureAwait(false);
        _host.Forget(this, _outbox.Lost + _channel.LostFrames);
        if (Interlocked.Exchange(ref _announcement, Announcement.Ended) == Announcement.Made)
            _host.RaiseDisconnected(this, reason);
        _freed.SetResult();
        try
        {
            await canceled.ConfigureAwait(false);
        }
        catch (Exception e)
        {
            ReportFailure(0, e); // of a callback that a handler registered at its token
        }
    }

    /// <summary>The events that were raised for the peer.</summary>
    private static class Announcement
    {
        public const int None = 0;
        public const int Begun = 1;
        public const int Made = 2;
        public const int Ended = 3;
    }
}
