using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Speaks the protocol over a channel: the handshake, control messages, and the end. Moves its state on, and alone does so.</summary>
[SuppressMessage("Design", "CA1001", Justification = "Its one source of tokens has no timer and no link: nothing to free.")]
internal sealed class Connection
{
    private static readonly TimeSpan s_goodbyeTime = TimeSpan.FromSeconds(1);

    private readonly HostResources _host;
    private readonly IConnectionOwner _owner;
    private readonly TransportChannel _channel;
    private readonly CancellationTokenSource _ended = new();
    private ConnectionStateMachine _state;
    private int _malformed;

    /// <param name="channel">The channel. The connection owns it.</param>
    /// <param name="host">What all connections of the host share.</param>
    /// <param name="owner">The peer.</param>
    /// <param name="needsLogin">Whether the remote side has to show credentials.</param>
    public Connection(TransportChannel channel, HostResources host, IConnectionOwner owner, bool needsLogin)
    {
        (_channel, _host, _owner) = (channel, host, owner);
        var (options, prefix) = (host.Options, host.Prefix);
        Reader = new FrameReader(channel, prefix) { MaxMessageSize = HelloMessage.MaxSize };
        Outbox = new Outbox(channel, options.Limits.MaxPendingBytes, e => End((e as TransportClosedException)?.Reason.ToDisconnectReason() ?? DisconnectReason.ConnectionLost), _ended.Token, prefix, host.PendingTotal);
        KeepAlive = new KeepAlive(channel, Outbox);
        Contracts = new RemoteContracts(options.AcceptsOtherContracts, owner);
        RemoteMaxMessageSize = PrefixedFrame.MaxLength(prefix);
        IsPlain = host.IsPlain;
        IsForeign = channel.IsForeign || IsPlain;
        NeedsLogin = needsLogin;
        if (IsForeign)
            _state.TryMoveTo(needsLogin ? ConnectionState.Authenticating : ConnectionState.Open);
    }

    /// <summary>The address, path or name of the remote side, for people.</summary>
    public string RemoteName => _channel.RemoteName;

    /// <summary>Whether the remote side is no host of this library. Then the connection has no handshake, no keep-alive and no control messages.</summary>
    public bool IsForeign { get; }

    /// <summary>Whether the remote side also has no correlation ids.</summary>
    public bool IsPlain { get; }

    /// <summary>Whether the remote side has to show credentials.</summary>
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

    /// <summary>What the remote side said when it ended the connection.</summary>
    public Goodbye? Goodbye { get; private set; }

    /// <summary>Canceled when the connection has ended.</summary>
    public CancellationToken Ended => _ended.Token;

    /// <summary>Completes when everything that the connection held is freed, once it has ended.</summary>
    public Task Freed { get; private set; } = Task.CompletedTask;

    public FrameReader Reader { get; }

    public Outbox Outbox { get; }

    public KeepAlive KeepAlive { get; }

    public RemoteContracts Contracts { get; }

    public LoginProgress Login { get; } = new();

    /// <summary>The number of changes of the host's contracts that the remote side was told of.</summary>
    public int AnnouncedContracts { get; set; }

    /// <summary>The largest message that the remote side accepts; without a handshake, the largest that a length prefix can express.</summary>
    public int RemoteMaxMessageSize { get; set; }

    /// <summary>The largest message that can be sent.</summary>
    public int MaxMessageSize => Math.Min(RemoteMaxMessageSize, _channel.MaxMessageSize);

    /// <summary>The messages that sends on this connection did not take.</summary>
    public SendCounts Sends { get; } = new();

    /// <summary>Shakes hands with the remote side.</summary>
    /// <returns><c>null</c> if the connection may go on; otherwise, the reason why not.</returns>
    public Task<DisconnectReason?> ShakeHandsAsync(Handshake handshake)
    {
        _state.TryMoveTo(ConnectionState.Handshaking);
        return handshake.RunAsync(this);
    }

    /// <summary>Completes the handshake or the login: from here on messages of the program can be sent. May be called more than once.</summary>
    /// <param name="next"><see cref="ConnectionState.Authenticating"/> or <see cref="ConnectionState.Open"/>.</param>
    /// <param name="isServer">Whether this side sends the last hello of the handshake, before any message of the program.</param>
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
    /// <exception cref="InvalidOperationException">Thrown when the remote side is no host of this library, and the message is no event.</exception>
    public PackedMessage Pack<T>(MessageContract<T> contract, in T message, MessageKind kind, uint correlationId)
    {
        if (kind != MessageKind.Event && IsForeign && !IsPlain)
            throw new InvalidOperationException($"{RemoteName} is no host of this library: it knows events alone, and this is a {kind}. Send an event, and have the other side send one back.");
        var packed = kind == MessageKind.Event || IsPlain ? _host.Writer.Pack(contract, in message) : _host.Writer.Pack(contract, in message, kind, correlationId);
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
    public SendStatus Offer(MessageContract? contract, PackedMessage packed, bool isSecret)
    {
        if (contract is not null && !Contracts.Accepts(contract))
            return UnlessClosed(SendStatus.ContractMismatch);
        if (packed.Length > RemoteMaxMessageSize)
            return UnlessClosed(SendStatus.TooLarge);

        // Before the end of the handshake the remote side would take the message for a part of it, and end the connection.
        return AcceptsMessages ? Outbox.TryAppend(packed.Span, isSecret) : SendStatus.Closed;
    }

    /// <summary>Sends a message that was packed for many peers, unless this transport or the remote side does not accept it.</summary>
    public SendStatus OfferShared(MessageContract? contract, PackedMessage packed, bool isSecret) => packed.Length > _channel.MaxMessageSize
        ? UnlessClosed(SendStatus.TooLarge)
        : Offer(contract, packed, isSecret);

    /// <summary>Returns why a message is refused, or that the connection is closed.</summary>
    public SendStatus UnlessClosed(SendStatus refusal) => IsConnected && State != ConnectionState.Closing ? refusal : SendStatus.Closed;

    /// <summary>Counts the status of a message that was not sent. Once for each message.</summary>
    public SendStatus Count(SendStatus status)
    {
        if (status != SendStatus.Sent)
        {
            Sends.Add(status);
            _host.Counters.Sends.AddToMeter(status);
        }

        return status;
    }

    /// <summary>Throws for a limit of this side: that of the transport, or that of the length prefix.</summary>
    public void ThrowIfTooLarge(PackedMessage packed, Type? type)
    {
        var size = packed.Length;
        var most = _channel.MaxMessageSize;
        if (size > most)
            throw new MessageTooLargeException($"{type?.ToString() ?? "The message"} takes {size} bytes, and {RemoteName} carries {most} at most. {_channel.MaxMessageSizeAdvice}", size, most);
        if (size > RemoteMaxMessageSize && IsPlain)
            throw new MessageTooLargeException($"{type?.ToString() ?? "The message"} takes {size} bytes, and a length of two bytes says {RemoteMaxMessageSize} at most. Send less at a time.", size, RemoteMaxMessageSize);
    }

    /// <summary>Sends a control message, whatever the limits of the outbox are. This side bounds its number and size.</summary>
    public void SendControl(uint opcode, ReadOnlySpan<byte> payload)
    {
        using var packed = ControlMessage.Pack(opcode, payload);
        Outbox.TryAppendControl(packed.Span, delivery: ControlMessage.DeliveryOf(opcode));
    }

    /// <summary>Tells the remote side of contracts that this side handles by now.</summary>
    public void AnnounceContracts(MessageContract[] contracts)
    {
        if (!IsForeign)
            SendControl(ControlCode.Hello, ContractDescriptor.WriteAll(contracts));
    }

    /// <summary>Asks whether the remote side is there.</summary>
    public void Ping() => SendControl(ControlCode.Ping, BitConverter.GetBytes(KeepAlive.BeginPing()));

    /// <summary>Notes what the remote side says when it ends the connection.</summary>
    public void NoteGoodbye(ReadOnlySpan<byte> payload) => Goodbye = Goodbye.Read(payload);

    /// <summary>Counts a message of the remote side that cannot be read. Any thread.</summary>
    /// <returns>The reason to end the connection, if there were too many; otherwise, <c>null</c>.</returns>
    public DisconnectReason? CountMalformed()
    {
        _host.Counters.CountMalformed();
        return Interlocked.Increment(ref _malformed) > _host.Options.Limits.MaxMalformedMessages ? DisconnectReason.Malformed : null;
    }

    /// <summary>Says goodbye, lets messages that were sent before out for up to a second, and ends the connection.</summary>
    /// <param name="reason">The reason.</param>
    /// <param name="awaitsEnd">
    /// Whether to wait for the remote side to hang up first, as it does once it has read the goodbye: a socket that is closed while something
    /// unread lies in it takes back what it had still to deliver. Only while the receive loop runs.
    /// </param>
    /// <param name="text">The text of the goodbye, for people; <c>null</c> for none.</param>
    public async Task CloseAsync(DisconnectReason reason, bool awaitsEnd, string? text = null)
    {
        _state.TryMoveTo(ConnectionState.Closing, reason); // one that is closing already ends by this call, too
        var isFlushed = false;
        if (TrySeal(reason, text))
        {
            var timeout = Task.Delay(s_goodbyeTime, _ended.Token);
            var flushed = Outbox.FlushAsync();
            isFlushed = await Task.WhenAny(flushed, timeout).ConfigureAwait(false) == flushed;
            if (isFlushed && awaitsEnd && !_channel.KnowsDelivery)
                await timeout.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        else
        {
            // An earlier goodbye is under way, and ends the connection soon: cut off by this call, that goodbye would not arrive.
            await Task.Delay(2 * s_goodbyeTime, _ended.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        End(reason, aborts: !isFlushed);
    }

    /// <summary>Closes the connection on the thread pool. Once: further calls do nothing.</summary>
    public void CloseAside(DisconnectReason reason, string text)
    {
        if (_state.TryMoveTo(ConnectionState.Closing, reason))
            _ = Task.Run(() => CloseAsync(reason, awaitsEnd: true, text));
    }

    /// <summary>Ends the connection, once: unanswered requests end, the host is told, and the channel is freed.</summary>
    public void End(DisconnectReason reason) => End(reason, aborts: reason is not (DisconnectReason.Requested or DisconnectReason.Goodbye));

    /// <summary>Ends the connection without a goodbye. The host's listeners are called on the thread pool, and not by this thread.</summary>
    public void EndAside(DisconnectReason reason) => End(reason, aborts: true, isAside: true);

    private bool TrySeal(DisconnectReason reason, string? text)
    {
        if (IsForeign)
            return Outbox.TrySeal(default);
        using var goodbye = ControlMessage.Pack(ControlCode.Goodbye, Goodbye.Write(reason, text));
        return Outbox.TrySeal(goodbye.Span);
    }

    private void End(DisconnectReason reason, bool aborts, bool isAside = false)
    {
        if (!_state.TryMoveTo(ConnectionState.Closed, reason))
            return;

        Outbox.Close();
        _owner.OnEnded(EndReason!.Value, isAside);
        Freed = FreeAsync(aborts);
    }

    // Handlers listen to the token: what they do then, and throw, is not for the caller that ends the connection.
    private async Task FreeAsync(bool aborts)
    {
        try
        {
            if (aborts)
                _channel.Abort();
            var canceled = _ended.CancelAsync();
            await _channel.DisposeAsync().ConfigureAwait(false);
            await canceled.ConfigureAwait(false);
        }
        catch (Exception e)
        {
            _owner.ReportFailure(0, e);
        }
    }
}
