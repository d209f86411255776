using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.Hosting;

/// <summary>Implements the protocol over a channel: the handshake, control messages, and the end. Only this class changes the state of the connection.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The cancellation source has no timer and no linked token, so it holds no resources.")]
internal sealed class Connection
{
    private readonly HostResources _host;
    private readonly Peer _peer;
    private readonly TransportChannel _channel;
    private readonly CancellationTokenSource _ended = new();
    private readonly TaskCompletionSource _freed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ConnectionStateMachine _state;
    private int _malformed;
    private long _lastUnreadable; // the status in the upper half, and the type in the lower one: written and read at once; 0 before the first message

    /// <param name="channel">The channel. The connection takes ownership.</param>
    /// <param name="host">The objects that all connections of the host share.</param>
    /// <param name="peer">The peer.</param>
    /// <param name="needsLogin">Whether the remote side must send credentials.</param>
    public Connection(TransportChannel channel, HostResources host, Peer peer, bool needsLogin)
    {
        (_channel, _host, _peer) = (channel, host, peer);
        var options = host.Options;
        Reader = new FrameReader(channel) { MaxMessageSize = HelloMessage.MaxSize };
        Outbox = channel is DatagramChannel datagrams
            ? new DatagramOutbox(datagrams, host.Deliveries, options.Limits.MaxPendingBytes, EndAfterFailedWrite, host.PendingTotal, (host.Observer, peer))
            : new StreamOutbox(channel, options.Limits.MaxPendingBytes, EndAfterFailedWrite, _ended.Token, host.PendingTotal, (host.Observer, peer));
        KeepAlive = new KeepAlive(channel, Outbox);
        Contracts = new RemoteContracts(options.AcceptsOtherContracts, peer);
        Sender = new MessageSender(channel, host, this);
        NeedsLogin = needsLogin;
        host.Add(this); // last: a channel whose properties throw has no connection
    }

    /// <summary>The address, path or name of the remote side, for log messages.</summary>
    public string RemoteName => _channel.RemoteName;

    /// <inheritdoc cref="TransportChannel.RemoteIdentity"/>
    public string? RemoteIdentity => _channel.RemoteIdentity;

    /// <summary>Whether the remote side must send credentials.</summary>
    public readonly bool NeedsLogin;

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

    /// <summary>Returns a task that is canceled when the connection has ended, or by the token.</summary>
    public Task WaitForEndAsync(CancellationToken cancellationToken) => Task.Delay(Timeout.Infinite, Ended).WaitAsync(cancellationToken);

    /// <summary>Completes when the connection has ended and its channel is freed.</summary>
    public Task Freed => _freed.Task;

    public readonly FrameReader Reader;

    public readonly Outbox Outbox;

    public readonly MessageSender Sender;

    public readonly KeepAlive KeepAlive;

    public readonly RemoteContracts Contracts;

    public readonly LoginProgress Login = new();

    /// <summary>The number of the announcement of contracts in the handshake.</summary>
    public int FirstAnnouncement;

    /// <summary>The number of the last announcement of contracts to the remote side.</summary>
    public int LastAnnouncement;

    /// <summary>The number of the last announcement that the remote side has certainly read. Messages that it sent before may have other layouts than later announcements. Changed by the handshake, and then by the receive loop.</summary>
    public int KnownAnnouncement;

    /// <summary>Whether the transport may lose or reorder messages.</summary>
    public bool MayLoseMessages => _channel is DatagramChannel;

    /// <inheritdoc cref="DatagramChannel.OutdatedDatagrams"/>
    public long OutdatedDatagrams => (_channel as DatagramChannel)?.OutdatedDatagrams ?? 0;

    /// <inheritdoc cref="DatagramChannel.Path"/>
    public PathStatistics? Path => (_channel as DatagramChannel)?.Path;

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
        AppendControl(last.Span, Delivery.Reliable, isDeferred: true, appended: () => _state.TryMoveTo(next));
    }

    /// <summary>Sends a control message regardless of the limits of the outbox. This side limits the number and size of control messages.</summary>
    /// <param name="opcode">The type of the message.</param>
    /// <param name="payload">The payload. It is copied.</param>
    /// <param name="isDeferred">Whether another thread calls the taps and the channel, because the caller holds a lock or must not wait.</param>
    public void SendControl(uint opcode, ReadOnlySpan<byte> payload, bool isDeferred = false)
    {
        using var packed = ControlMessage.Pack(opcode, payload);
        AppendControl(packed.Span, ControlCode.DeliveryOf(opcode, payload.Length), isDeferred);
    }

    /// <summary>Appends a control message to the outbox, regardless of its limits.</summary>
    /// <param name="message">The header and the payload. They are copied.</param>
    /// <param name="delivery">The delivery of the message.</param>
    /// <param name="isDeferred">Whether another thread calls the taps and the channel.</param>
    /// <param name="appended">Called before the message can be written or another message can be appended.</param>
    public void AppendControl(ReadOnlySpan<byte> message, Delivery delivery, bool isDeferred = false, Action? appended = null)
    {
        var frame = new OutgoingFrame(message) { IsControl = true, Delivery = delivery, IsDeferred = isDeferred, Appended = appended };
        _ = Outbox.Append(ref frame);
    }

    /// <summary>Announces contracts to the remote side that this side now handles. The caller may hold the lock that keeps announcements in order.</summary>
    /// <param name="contracts">The contracts.</param>
    /// <param name="number">The number of the announcement.</param>
    public void AnnounceContracts(MessageContract[] contracts, int number)
    {
        SendControl(ControlCode.Hello, ContractDescriptor.WriteAll(contracts, Contracts.HasLayouts ? LayoutLines.Of(contracts) : null), isDeferred: true);
        Volatile.Write(ref LastAnnouncement, number); // after the hello, so that no ping asks for it before
    }

    /// <summary>Sends a ping, which also asks whether the last announcement was read until that is known. Calls no code of the program: the timer of the process sends most pings.</summary>
    /// <param name="now">The time, in <c>Environment.TickCount64</c>.</param>
    public void Ping(long now)
    {
        Span<byte> payload = stackalloc byte[ControlCode.QuerySize];
        var announcement = Volatile.Read(ref LastAnnouncement);
        BinaryPrimitives.WriteInt64LittleEndian(payload, KeepAlive.BeginPing(now));
        BinaryPrimitives.WriteInt32LittleEndian(payload.Slice(ControlCode.PingSize), announcement);
        SendControl(ControlCode.Ping, announcement == KnownAnnouncement ? payload.Slice(0, ControlCode.PingSize) : payload, isDeferred: true);
    }

    /// <summary>Handles the answer to a ping. A remote side that claims to have read an announcement too early only has its own messages read by other layouts.</summary>
    public void NotePong(ReadOnlySpan<byte> payload)
    {
        KeepAlive.NotePong(BinaryPrimitives.ReadInt64LittleEndian(payload));
        if (payload.Length == ControlCode.QuerySize)
            KnownAnnouncement = Math.Max(KnownAnnouncement, BinaryPrimitives.ReadInt32LittleEndian(payload.Slice(ControlCode.PingSize)));
    }

    /// <summary>Stores the goodbye of the remote side.</summary>
    public void NoteGoodbye(ReadOnlySpan<byte> payload) => Goodbye = Goodbye.Read(payload);

    /// <summary>Stores the type and the status of an unreadable message, for the text of a goodbye. Thread-safe.</summary>
    public void NoteUnreadable(uint type, DispatchStatus status) => Volatile.Write(ref _lastUnreadable, ((long)status << 32) | type);

    /// <summary>Counts an unreadable message of the remote side. Thread-safe.</summary>
    /// <returns>The reason to end the connection if the limit is exceeded; otherwise, <c>null</c>.</returns>
    public DisconnectReason? CountMalformed()
    {
        _host.Counters.Add(HostCounter.MalformedMessages);
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
        text ??= reason switch
        {
            DisconnectReason.WrongContract => Contracts.Refusal?.TheirView.ToString(),
            DisconnectReason.Banned => _peer.DescribeBan(),
            DisconnectReason.Malformed => DescribeUnreadable(),
            _ => null,
        };
        _state.TryMoveTo(ConnectionState.Closing, reason); // a connection that is already closing also ends by this call
        var isFlushed = false;
        if (TrySeal(reason, text))
        {
            var timeout = Task.Delay(_host.Options.FlushTimeout, _ended.Token);
            var flushed = Outbox.FlushAsync();
            isFlushed = await Task.WhenAny(flushed, timeout).ConfigureAwait(false) == flushed;
            if (isFlushed && awaitsEnd)
                await timeout.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        else if (!Outbox.IsClosed)
        {
            // An earlier goodbye is being sent and ends the connection soon. Ending the connection here would cut that goodbye off.
            await Task.Delay(_host.Options.FlushTimeout + TimeSpan.FromSeconds(1), _ended.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        End(reason, aborts: !isFlushed);
    }

    private string? DescribeUnreadable()
    {
        var last = Volatile.Read(ref _lastUnreadable);
        var (type, status) = ((uint)last, (DispatchStatus)(last >> 32));
        return last == 0 ? null : $"{status}: " + Fault.DescribeUnreadable(_peer.Host.Contracts.Find(type)?.MessageType.Name ?? "A message", type, status);
    }

    /// <summary>Closes the connection on the thread pool. Further calls do nothing.</summary>
    public void CloseInBackground(DisconnectReason reason, string? text = null)
    {
        if (_state.TryMoveTo(ConnectionState.Closing, reason))
            _ = Detached.Run(() => CloseAsync(reason, awaitsEnd: true, text));
    }

    /// <summary>Ends the connection once: ends unanswered requests, notifies the host, and frees the channel.</summary>
    public void End(DisconnectReason reason) => End(reason, aborts: reason is not (DisconnectReason.Requested or DisconnectReason.Goodbye));

    /// <summary>Ends the connection without a goodbye. The events of the host are raised on the thread pool, and not on this thread.</summary>
    public void EndWithDeferredEvents(DisconnectReason reason) => End(reason, aborts: true, defersEvents: true);

    private void EndAfterFailedWrite(Exception failure)
    {
        if (failure is not (TransportClosedException or OperationCanceledException))
            _peer.Host.Events.RaiseLater(() => _peer.Host.Events.ReportFailure(_peer, 0, failure)); // the thread may be that of the timer
        var reason = (failure as TransportClosedException)?.Reason.ToDisconnectReason() ?? DisconnectReason.ConnectionLost;
        if (reason == DisconnectReason.ConnectionLost)
            _ = EndAfterLastReadAsync();
        else
            End(reason);
    }

    /// <summary>Ends the connection if its receive loop does not: when no message is handled, and no byte was received for <see cref="MessageHostOptions.FlushTimeout"/>.</summary>
    /// <remarks>The remote side may have sent messages and a goodbye before it closed the connection. They can still be received after a write has failed.</remarks>
    private async Task EndAfterLastReadAsync()
    {
        long received;
        do
        {
            received = Reader.ReceivedBytes;
            await Task.Delay(_host.Options.FlushTimeout, _ended.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        while (!_ended.IsCancellationRequested && ((AcceptsMessages && KeepAlive.IsHandling) || Reader.ReceivedBytes != received));

        End(DisconnectReason.ConnectionLost);
    }

    private bool TrySeal(DisconnectReason reason, string? text)
    {
        using var goodbye = ControlMessage.Pack(ControlCode.Goodbye, Goodbye.Write(reason, text));
        return Outbox.TrySeal(goodbye.Span);
    }

    private void End(DisconnectReason reason, bool aborts, bool defersEvents = false)
    {
        if (!_state.TryMoveTo(ConnectionState.Closed, reason))
            return;

        Outbox.Close();
        _peer.OnEnded(EndReason!.Value, defersEvents);
        _ = FreeAsync(aborts, defersEvents);
    }

    // Handlers register callbacks at the token. They may block or throw, and the caller that ends the connection must not wait for them.
    // The channel may be code of the program as well. A step that throws is reported, and the next one runs.
    private async Task FreeAsync(bool aborts, bool defersEvents)
    {
        var events = _peer.Host.Events;
        if (aborts)
            events.Call(_peer, _channel.Abort);
        var canceled = _ended.CancelAsync();
        await events.CallAsync(_peer, _channel.DisposeAsync).ConfigureAwait(false);
        var lost = 0;
        events.Call(_peer, () => lost = _channel.LostFrames);
        _peer.Host.Registry.CountLost(_peer, lost, defersEvents);
        _host.Remove(this);
        _freed.SetResult();
        await events.CallAsync(_peer, () => new ValueTask(canceled)).ConfigureAwait(false);
    }
}

/// <summary>The state of a connection, the states that it has reached, and the reason of its end. Thread-safe.</summary>
/// <remarks>
/// <see cref="TryMoveTo"/> makes every change by one compare-and-swap of an integer. A state is entered at most once, and only from an earlier state.
/// Therefore only one caller enters a state, and does the work of that state.
/// </remarks>
internal struct ConnectionStateMachine
{
    private const int StateBits = 7;
    private const int AcceptsMessagesBit = 8;
    private const int WasOpenBit = 16;
    private const int ReasonShift = 8;

    private int _value;

    /// <summary>The current state.</summary>
    public ConnectionState State => StateOf(Volatile.Read(ref _value));

    /// <summary>Whether the handshake was completed, so that messages can be sent. Stays <c>true</c> after the end.</summary>
    public bool AcceptsMessages => (Volatile.Read(ref _value) & AcceptsMessagesBit) != 0;

    /// <summary>Whether the connection has been <see cref="ConnectionState.Open"/>, so that its messages are handled. Stays <c>true</c> after the end.</summary>
    public bool WasOpen => (Volatile.Read(ref _value) & WasOpenBit) != 0;

    /// <summary>Whether the handshake was completed and the connection has not ended.</summary>
    public bool IsConnected
    {
        get
        {
            var value = Volatile.Read(ref _value);
            return (value & AcceptsMessagesBit) != 0 && StateOf(value) != ConnectionState.Closed;
        }
    }

    /// <summary>The reason of the end. <c>null</c> before <see cref="ConnectionState.Closed"/>.</summary>
    public DisconnectReason? EndReason
    {
        get
        {
            var value = Volatile.Read(ref _value);
            return StateOf(value) == ConnectionState.Closed ? ReasonOf(value) : null;
        }
    }

    /// <summary>Enters a state.</summary>
    /// <param name="next">The state.</param>
    /// <param name="reason">The reason. Used for <see cref="ConnectionState.Closing"/>, and for <see cref="ConnectionState.Closed"/> unless the connection was closing.</param>
    /// <returns><c>true</c> if the state was entered; <c>false</c> if it cannot follow the current state.</returns>
    public bool TryMoveTo(ConnectionState next, DisconnectReason reason = default)
    {
        while (true)
        {
            var value = Volatile.Read(ref _value);
            if (!IsAllowed(StateOf(value), next))
                return false;
            if (Interlocked.CompareExchange(ref _value, Next(value, next, reason), value) == value)
                return true;
        }
    }

    private static bool IsAllowed(ConnectionState from, ConnectionState to) => to switch
    {
        ConnectionState.Handshaking => from == ConnectionState.Connecting,
        ConnectionState.Authenticating => from == ConnectionState.Handshaking,
        ConnectionState.Open => from < ConnectionState.Open,
        ConnectionState.Closing => from < ConnectionState.Closing,
        ConnectionState.Closed => from < ConnectionState.Closed,
        _ => false,
    };

    private static int Next(int value, ConnectionState next, DisconnectReason reason)
    {
        var reached = value & (AcceptsMessagesBit | WasOpenBit);
        switch (next)
        {
            case ConnectionState.Authenticating:
                reached |= AcceptsMessagesBit;
                break;
            case ConnectionState.Open:
                reached |= AcceptsMessagesBit | WasOpenBit;
                break;
            case ConnectionState.Closed when StateOf(value) == ConnectionState.Closing:
                reason = ReasonOf(value); // how the connection ends while this side sends its goodbye is not the reason of the end
                break;
        }

        return (int)next | reached | ((int)reason << ReasonShift);
    }

    private static ConnectionState StateOf(int value) => (ConnectionState)(value & StateBits);

    private static DisconnectReason ReasonOf(int value) => (DisconnectReason)(value >> ReasonShift);
}

/// <summary>Maps the reason why a transport ended to a disconnect reason.</summary>
internal static class TransportReason
{
    public static DisconnectReason ToDisconnectReason(this TransportCloseReason reason) => reason switch
    {
        TransportCloseReason.HandshakeTimeout => DisconnectReason.HandshakeTimeout,
        TransportCloseReason.TlsFailed => DisconnectReason.TlsFailed,
        TransportCloseReason.WrongProtection => DisconnectReason.WrongProtection,
        TransportCloseReason.Tampered => DisconnectReason.Tampered,
        TransportCloseReason.LockedOut => DisconnectReason.LockedOut,
        TransportCloseReason.WrongProtocol => DisconnectReason.NotAPeer,
        TransportCloseReason.WrongOrigin => DisconnectReason.WrongOrigin,
        TransportCloseReason.NotReading => DisconnectReason.NotReading,
        _ => DisconnectReason.ConnectionLost,
    };
}
