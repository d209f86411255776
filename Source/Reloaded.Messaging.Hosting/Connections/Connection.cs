using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Implements the protocol over a channel: the handshake, control messages, and the end. Only this class changes the state of the connection.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The cancellation source has no timer and no linked token, so it holds no resources.")]
internal sealed class Connection
{
    private readonly HostResources _host;
    private readonly IConnectionOwner _owner;
    private readonly TransportChannel _channel;
    private readonly CancellationTokenSource _ended = new();
    private readonly uint _maxMessageType;
    private ConnectionStateMachine _state;
    private int _malformed;

    /// <param name="channel">The channel. The connection takes ownership.</param>
    /// <param name="host">The objects that all connections of the host share.</param>
    /// <param name="owner">The peer.</param>
    /// <param name="needsLogin">Whether the remote side must send credentials.</param>
    public Connection(TransportChannel channel, HostResources host, IConnectionOwner owner, bool needsLogin)
    {
        (_channel, _host, _owner) = (channel, host, owner);
        var (options, prefix) = (host.Options, host.Prefix);
        Reader = new FrameReader(channel, prefix) { MaxMessageSize = HelloMessage.MaxSize };
        Outbox = new Outbox(channel, options.Limits.MaxPendingBytes, e => End((e as TransportClosedException)?.Reason.ToDisconnectReason() ?? DisconnectReason.ConnectionLost), _ended.Token, prefix, host.PendingTotal, (host.Observer, owner))
        {
            Deliveries = channel.UsesDelivery ? host.Deliveries : null,
        };
        KeepAlive = new KeepAlive(channel, Outbox);
        Contracts = new RemoteContracts(options.AcceptsOtherContracts, owner);
        RemoteMaxMessageSize = PrefixedFrame.MaxLength(prefix);
        IsPlain = host.IsPlain;
        IsForeign = channel.IsForeign || IsPlain;
        _maxMessageType = channel.MaxMessageType;
        NeedsLogin = needsLogin;
        if (IsForeign)
            _state.TryMoveTo(needsLogin ? ConnectionState.Authenticating : ConnectionState.Open);
    }

    /// <summary>The address, path or name of the remote side, for log messages.</summary>
    public string RemoteName => _channel.RemoteName;

    /// <summary>Whether the remote side does not use this library. Such a connection has no handshake, no keep-alive and no control messages.</summary>
    public bool IsForeign { get; }

    /// <summary>Whether the remote side does not use this library and has no correlation ids.</summary>
    public bool IsPlain { get; }

    /// <summary>Whether the remote side must send credentials.</summary>
    public bool NeedsLogin { get; }

    public ConnectionState State => _state.State;

    /// <inheritdoc cref="ConnectionStateMachine.IsConnected"/>
    public bool IsConnected => _state.IsConnected;

    /// <inheritdoc cref="ConnectionStateMachine.WasOpen"/>
    public bool WasOpen => _state.WasOpen;

    /// <inheritdoc cref="ConnectionStateMachine.AcceptsMessages"/>
    public bool AcceptsMessages => _state.AcceptsMessages;

    /// <inheritdoc cref="ConnectionStateMachine.EndReason"/>
    public DisconnectReason? EndReason => _state.EndReason;

    /// <summary>The goodbye with which the remote side ended the connection.</summary>
    public Goodbye? Goodbye { get; private set; }

    /// <summary>Canceled when the connection has ended.</summary>
    public CancellationToken Ended => _ended.Token;

    /// <summary>Completes when the connection has ended and its resources are freed.</summary>
    public Task Freed { get; private set; } = Task.CompletedTask;

    /// <summary>Completes when the connection has ended and its channel has sent what it can; at once for a channel that cannot count lost messages.</summary>
    public Task Delivered { get; private set; } = Task.CompletedTask;

    public FrameReader Reader { get; }

    public Outbox Outbox { get; }

    public KeepAlive KeepAlive { get; }

    public RemoteContracts Contracts { get; }

    public LoginProgress Login { get; } = new();

    /// <summary>The number of changes of the host's contracts that were announced to the remote side.</summary>
    public int AnnouncedContracts { get; set; }

    /// <summary>The maximum size of a message that the remote side accepts, in bytes. Without a handshake, the maximum that the length prefix can express.</summary>
    public int RemoteMaxMessageSize { get; set; }

    /// <summary>Whether the transport may lose or reorder messages.</summary>
    public bool MayLoseMessages => _channel.UsesDelivery;

    /// <summary>The maximum size of a message that can be sent, in bytes.</summary>
    public int MaxMessageSize => Math.Min(RemoteMaxMessageSize, _channel.MaxMessageSize);

    /// <inheritdoc cref="TransportChannel.OutdatedDatagrams"/>
    public long OutdatedDatagrams => _channel.OutdatedDatagrams;

    /// <inheritdoc cref="TransportChannel.LossShare"/>
    public double? LossShare => _channel.LossShare;

    /// <summary>Whether the remote side reads the trace contexts of messages, and this side sends them.</summary>
    public bool CarriesTraceContext { get; set; }

    /// <summary>The number of messages that were not sent on this connection, by status.</summary>
    public SendCounts Sends { get; } = new();

    /// <summary>Runs the handshake with the remote side.</summary>
    /// <returns><c>null</c> if the handshake succeeded; otherwise, the reason of the failure.</returns>
    public Task<DisconnectReason?> HandshakeAsync(Handshake handshake)
    {
        _state.TryMoveTo(ConnectionState.Handshaking);
        return handshake.RunAsync(this);
    }

    /// <summary>Completes the handshake or the login. Afterwards, messages of the program can be sent. May be called more than once.</summary>
    /// <param name="next"><see cref="ConnectionState.Authenticating"/> or <see cref="ConnectionState.Open"/>.</param>
    /// <param name="isServer">Whether this side must send the last hello of the handshake before any message of the program.</param>
    public void Accept(ConnectionState next, bool isServer)
    {
        if (!isServer || AcceptsMessages)
        {
            _state.TryMoveTo(next);
            return;
        }

        using var last = ControlMessage.Pack(ControlCode.Hello, default);
        Outbox.TryAppendControl(last.Span, () => _state.TryMoveTo(next), Delivery.Reliable);
    }

    /// <summary>Packs a message, and checks its size against the limits of this side.</summary>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of this host or of the transport.</exception>
    /// <exception cref="InvalidOperationException">Thrown when the remote side does not use this library, and the message is not an event or has an id that the remote side does not know.</exception>
    public PackedMessage Pack<T>(MessageContract<T> contract, in T message, MessageKind kind = MessageKind.Event, uint correlationId = 0)
    {
        ThrowIfForeign(kind);
        ThrowIfUnknown(contract);
        return Checked(contract, kind == MessageKind.Event || IsPlain ? _host.Writer.Pack(contract, in message) : _host.Writer.Pack(contract, in message, kind, correlationId));
    }

    /// <summary>Packs a request, and checks its size against the limits of this side.</summary>
    /// <param name="contract">The contract of <typeparamref name="T"/>, or of the object that is passed as an interface.</param>
    /// <param name="request">The request.</param>
    /// <param name="correlationId">The id of the request.</param>
    /// <inheritdoc cref="Pack" path="/exception"/>
    public PackedMessage PackRequest<T>(MessageContract contract, in T request, uint correlationId)
    {
        if (contract is MessageContract<T> known)
            return Pack(known, in request, MessageKind.Request, correlationId);
        ThrowIfForeign(MessageKind.Request);
        ThrowIfUnknown(contract);
        return Checked(contract, _host.Writer.PackObject(contract, request!, IsPlain ? MessageKind.Event : MessageKind.Request, IsPlain ? 0 : correlationId));
    }

    private void ThrowIfForeign(MessageKind kind)
    {
        if (kind != MessageKind.Event && IsForeign && !IsPlain)
            throw new InvalidOperationException($"{RemoteName} does not use this library and accepts only events; the message is a {kind}. Send an event, and let the remote side reply with an event.");
    }

    private PackedMessage Checked(MessageContract contract, PackedMessage packed)
    {
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

    /// <summary>Sends a message unless the remote side does not accept its contract or its size.</summary>
    /// <param name="contract">The contract; <c>null</c> to not compare it.</param>
    /// <param name="packed">The message.</param>
    /// <param name="isSecret">Whether to zero the bytes after they are written.</param>
    /// <param name="context">The result of <see cref="PackTraceContext"/>.</param>
    public SendStatus Offer(MessageContract? contract, PackedMessage packed, bool isSecret, ReadOnlySpan<byte> context = default)
    {
        return Refuses(contract, packed.Length, out var refusal) ? refusal : Outbox.TryAppend(context, packed.Span, isSecret);
    }

    /// <summary>Sends a message that was packed for many peers, unless this transport or the remote side does not accept it.</summary>
    /// <inheritdoc cref="Offer"/>
    public SendStatus OfferShared(MessageContract? contract, PackedMessage packed, bool isSecret, ReadOnlySpan<byte> context, ref FlushChain chain)
    {
        if (packed.Length > _channel.MaxMessageSize)
            return UnlessClosed(SendStatus.TooLarge);
        return Refuses(contract, packed.Length, out var refusal) ? refusal : Outbox.TryAppend(context, packed.Span, isSecret, ref chain);
    }

    /// <summary>Returns the message with the trace context, which is sent directly before the message of the operation.</summary>
    /// <param name="operation">The operation; <c>null</c> for none.</param>
    /// <param name="type">The type of the message.</param>
    /// <param name="correlationId">The correlation id of a request; 0 for an event. The id identifies the message if the transport reorders messages. An event then has no context.</param>
    /// <returns>The message, or <c>null</c> if there is no context, or the remote side does not read it.</returns>
    public byte[]? PackTraceContext(MessageOperation? operation, uint type, uint correlationId)
    {
        if (operation is null || !CarriesTraceContext || (correlationId == 0 && _channel.UsesDelivery))
            return null;
        var context = operation.PackContext(type, correlationId);
        return context?.Length <= MaxMessageSize ? context : null;
    }

    private bool Refuses(MessageContract? contract, int size, out SendStatus refusal)
    {
        refusal = SendStatus.Sent;
        if (contract is not null && (contract.Type > _maxMessageType || !Contracts.Accepts(contract)))
            refusal = UnlessClosed(SendStatus.ContractMismatch);
        else if (size > RemoteMaxMessageSize)
            refusal = UnlessClosed(SendStatus.TooLarge);
        else if (!AcceptsMessages)
            refusal = SendStatus.Closed; // before the end of the handshake, the remote side would read the message as a part of the handshake and disconnect
        return refusal != SendStatus.Sent;
    }

    /// <summary>Returns the status of a message that cannot be sent: the reason, or that the connection is closed.</summary>
    public SendStatus UnlessClosed(SendStatus refusal) => IsConnected && State != ConnectionState.Closing ? refusal : SendStatus.Closed;

    /// <summary>Counts the status of a message that was not sent, once for each message.</summary>
    public SendStatus Count(SendStatus status)
    {
        if (status != SendStatus.Sent)
        {
            Sends.Add(status);
            _host.Counters.Sends.AddToMeter(status);
        }

        return status;
    }

    /// <summary>Throws if the remote side cannot know the id of a message.</summary>
    /// <exception cref="InvalidOperationException">Thrown when the id is above <see cref="TransportChannel.MaxMessageType"/>.</exception>
    public void ThrowIfUnknown(MessageContract contract)
    {
        if (contract.Type > _maxMessageType)
            throw new InvalidOperationException($"{RemoteName} accepts the message ids 0 to {_maxMessageType}; {contract.MessageType} has the id {contract.Type}. Give the contract another id.");
    }

    /// <summary>Throws if a message exceeds a limit of this side: the limit of the transport, or of the length prefix.</summary>
    public void ThrowIfTooLarge(PackedMessage packed, Type? type)
    {
        var size = packed.Length;
        var most = _channel.MaxMessageSize;
        if (size > most)
            throw new MessageTooLargeException($"{type?.ToString() ?? "The message"} is {size} bytes; the transport to {RemoteName} accepts at most {most}. {_channel.MaxMessageSizeAdvice}", size, most);
        if (size > RemoteMaxMessageSize && IsPlain)
            throw new MessageTooLargeException($"{type?.ToString() ?? "The message"} is {size} bytes; a length prefix of two bytes allows at most {RemoteMaxMessageSize}. Split the message.", size, RemoteMaxMessageSize);
    }

    /// <summary>Sends a control message regardless of the limits of the outbox. This side limits the number and size of control messages.</summary>
    public void SendControl(uint opcode, ReadOnlySpan<byte> payload)
    {
        using var packed = ControlMessage.Pack(opcode, payload);
        Outbox.TryAppendControl(packed.Span, delivery: ControlMessage.DeliveryOf(opcode));
    }

    /// <summary>Announces contracts to the remote side that this side now handles.</summary>
    public void AnnounceContracts(MessageContract[] contracts)
    {
        if (!IsForeign)
            SendControl(ControlCode.Hello, ContractDescriptor.WriteAll(contracts));
    }

    /// <summary>Sends a ping.</summary>
    public void Ping() => SendControl(ControlCode.Ping, BitConverter.GetBytes(KeepAlive.BeginPing()));

    /// <summary>Stores the goodbye of the remote side.</summary>
    public void NoteGoodbye(ReadOnlySpan<byte> payload) => Goodbye = Goodbye.Read(payload);

    /// <summary>Counts an unreadable message of the remote side. Thread-safe.</summary>
    /// <returns>The reason to end the connection if the limit is exceeded; otherwise, <c>null</c>.</returns>
    public DisconnectReason? CountMalformed()
    {
        _host.Counters.CountMalformed();
        return Interlocked.Increment(ref _malformed) > _host.Options.Limits.MaxMalformedMessages ? DisconnectReason.Malformed : null;
    }

    /// <summary>Sends a goodbye, writes queued messages for up to <see cref="MessageHostOptions.FlushTimeout"/>, and ends the connection.</summary>
    /// <param name="reason">The reason.</param>
    /// <param name="awaitsEnd">
    /// Whether to wait until the remote side closes the connection, which it does after it has read the goodbye. A socket that is closed while it has unread
    /// bytes discards the bytes that it has not delivered. Use <c>true</c> only while the receive loop runs.
    /// </param>
    /// <param name="text">The text of the goodbye; <c>null</c> for no text.</param>
    public async Task CloseAsync(DisconnectReason reason, bool awaitsEnd, string? text = null)
    {
        _state.TryMoveTo(ConnectionState.Closing, reason); // a connection that is already closing also ends by this call
        var isFlushed = false;
        if (TrySeal(reason, text))
        {
            var timeout = Task.Delay(_host.Options.FlushTimeout, _ended.Token);
            var flushed = Outbox.FlushAsync();
            isFlushed = await Task.WhenAny(flushed, timeout).ConfigureAwait(false) == flushed;
            if (isFlushed && awaitsEnd && !_channel.KnowsDelivery)
                await timeout.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        else
        {
            // An earlier goodbye is being sent and ends the connection soon. Ending the connection here would cut that goodbye off.
            await Task.Delay(_host.Options.FlushTimeout + TimeSpan.FromSeconds(1), _ended.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        End(reason, aborts: !isFlushed);
    }

    /// <summary>Closes the connection on the thread pool. Further calls do nothing.</summary>
    public void CloseInBackground(DisconnectReason reason, string text)
    {
        if (_state.TryMoveTo(ConnectionState.Closing, reason))
            _ = Task.Run(() => CloseAsync(reason, awaitsEnd: true, text));
    }

    /// <summary>Ends the connection once: ends unanswered requests, notifies the host, and frees the channel.</summary>
    public void End(DisconnectReason reason) => End(reason, aborts: reason is not (DisconnectReason.Requested or DisconnectReason.Goodbye));

    /// <summary>Ends the connection without a goodbye. The events of the host are raised on the thread pool, and not on this thread.</summary>
    public void EndWithDeferredEvents(DisconnectReason reason) => End(reason, aborts: true, defersEvents: true);

    private bool TrySeal(DisconnectReason reason, string? text)
    {
        if (IsForeign)
            return Outbox.TrySeal(default);
        using var goodbye = ControlMessage.Pack(ControlCode.Goodbye, Goodbye.Write(reason, text));
        return Outbox.TrySeal(goodbye.Span);
    }

    private void End(DisconnectReason reason, bool aborts, bool defersEvents = false)
    {
        if (!_state.TryMoveTo(ConnectionState.Closed, reason))
            return;

        Outbox.Close();
        _owner.OnEnded(EndReason!.Value, defersEvents);
        Freed = FreeAsync(aborts);
    }

    // Handlers register callbacks at the token. They may block or throw, and the caller that ends the connection must not wait for them.
    private async Task FreeAsync(bool aborts)
    {
        try
        {
            if (aborts)
                _channel.Abort();
            var canceled = _ended.CancelAsync();
            var disposed = DisposeChannelAsync();
            if (_channel.LostFrames is not null)
                Delivered = disposed;
            await disposed.ConfigureAwait(false);
            await canceled.ConfigureAwait(false);
        }
        catch (Exception e)
        {
            _owner.ReportFailure(0, e);
        }
    }

    private async Task DisposeChannelAsync()
    {
        try
        {
            await _channel.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception e)
        {
            _owner.ReportFailure(0, e);
        }

        _owner.OnFreed(_channel.LostFrames ?? 0);
    }
}
