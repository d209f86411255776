using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>The other side of a connection: to send to, to ask, and to tell whose message a handler has.</summary>
/// <remarks>Thread-safe. What one thread sends arrives in that order.</remarks>
[SuppressMessage("Design", "CA1001", Justification = "Its one source of tokens has no timer and no link: nothing to free.")]
public sealed partial class Peer
{
    private readonly MessageHost _host;
    private readonly TransportChannel _channel;
    private readonly Outbox _outbox;
    private readonly RequestTable _requests;
    private readonly SendCounts _sends = new();
    private readonly CancellationTokenSource _ended = new();
    private volatile bool _isAccepted;
    private int _malformed;
    private long _pingedAt;
    private long _roundTripTicks;

    internal Peer(MessageHost host, TransportChannel channel, long id)
    {
        _host = host;
        _channel = channel;
        Id = id;
        var (limits, prefix) = (host.Options.Limits, host.Options.LengthPrefix);
        Reader = new FrameReader(channel, prefix) { MaxMessageSize = HelloMessage.MaxSize };
        _outbox = new Outbox(channel, limits.MaxPendingBytes, e => End((e as TransportClosedException)?.Reason ?? DisconnectReason.ConnectionLost), _ended.Token, prefix, host.PendingTotal);
        Watch = new PeerWatch(channel, _outbox);
        Traffic = new PeerTraffic(host.Options);
        Session = host.CredentialsType is null ? SessionState.Authenticated : SessionState.Unauthenticated;
        _requests = new RequestTable(limits.MaxUnansweredRequests);
        _answering = new InFlightRequests(e => _host.ReportFailure(this, 0, e));
        Contracts = new RemoteContracts(host, this);
        IsForeign = _isAccepted = channel.IsForeign || host.Options.IsPlain;
        RemoteMaxMessageSize = PrefixedFrame.MaxLength(prefix);
        Fifo = host.Options.IsPlain ? new FifoExchange(_outbox, limits.MaxUnansweredRequests) : null;
    }

    /// <summary>A number that no other peer of the host has or had.</summary>
    public long Id { get; }

    /// <summary>The host that the peer is connected to.</summary>
    public MessageHost Host => _host;

    /// <summary>Its address, path or name, for people.</summary>
    public string RemoteName => _channel.RemoteName;

    /// <summary>How long a ping took to come back, the last time; zero before the first.</summary>
    public TimeSpan RoundTripTime => TimeSpan.FromTicks(Volatile.Read(ref _roundTripTicks));

    /// <summary>Whether messages can be sent to it.</summary>
    public bool IsConnected => _isAccepted && Volatile.Read(ref _endReason) == 0;

    /// <summary>Why it is gone; null while it is not.</summary>
    public DisconnectReason? Disconnected => Volatile.Read(ref _endReason) is > 0 and var reason ? (DisconnectReason)(reason - 1) : null;

    /// <summary>The largest message that can be sent to it, in bytes: what the other side said that it takes, and what the transport carries.</summary>
    public int MaxMessageSize => Math.Min(RemoteMaxMessageSize, _channel.MaxMessageSize);

    /// <summary>What the other side said when it shook hands; where there is no handshake, what the length in front of a message can say.</summary>
    internal int RemoteMaxMessageSize { get; set; }

    /// <summary>The number of messages that sends to this peer did not take, by status. 0 for <see cref="SendStatus.Sent"/>, which is not counted.</summary>
    /// <remarks>What is counted is described at <see cref="MessageHost.GetCount(SendStatus)"/>.</remarks>
    public long GetCount(SendStatus status) => _sends.Get(status);

    /// <summary>Anything that the program wants to find again in a handler.</summary>
    public object? Tag { get; set; }

    /// <summary>Holds back what is sent to the peer until <see cref="Uncork"/>, so that it is written at once. Calls nest.</summary>
    /// <remarks>Messages are written earlier when more than 64 KiB wait, and by the host's timer about every 50 ms. Thread-safe. Allocates nothing.</remarks>
    public void Cork() => _outbox.Cork();

    /// <summary>Ends a <see cref="Cork"/>. The last call starts to write on this thread, as far as the transport takes it at once.</summary>
    public void Uncork() => _outbox.Uncork();

    /// <summary>Canceled when the peer is gone.</summary>
    internal CancellationToken Ended => _ended.Token;

    internal FrameReader Reader { get; }

    internal Outbox Outbox => _outbox;

    internal RequestTable Requests => _requests;

    internal RemoteContracts Contracts { get; }

    /// <summary>How many changes of the host's contracts it was told of.</summary>
    internal int AnnouncedContracts { get; set; }

    /// <summary>What matches requests and replies with a peer that has no correlation ids, and no control messages either; null for every other.</summary>
    internal FifoExchange? Fifo { get; }

    /// <summary>Whether it is no host of this library: no handshake, no heartbeat, nothing of the connection's own.</summary>
    internal bool IsForeign { get; }

    internal PeerWatch Watch { get; }

    /// <summary>Since when it is listened to without a byte from it, by the host's clock; the end of time while its messages are handled.</summary>
    internal long LastHeard { get; set; } = long.MaxValue;

    /// <summary>How far the host's listeners know of it.</summary>
    internal int Announcement;

    internal int RunningHandlers;

    /// <summary>Sends an event by its type's declared contract. Never waits.</summary>
    /// <inheritdoc cref="Send{T}(MessageContract{T}, in T)"/>
    public SendStatus Send<T>(in T message) => Send(MessageContract.GetDeclared<T>(), in message);

    /// <summary>Sends an event. Never waits.</summary>
    /// <param name="contract">What the message is on the wire.</param>
    /// <param name="message">The message.</param>
    /// <returns>Whether it will be written. Nothing says that it arrives; the reply to a request does.</returns>
    /// <remarks>Never throws for what the peer did or declared: a full, closed or refused message is a status, and is counted.</remarks>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of this host or of the transport.</exception>
    public SendStatus Send<T>(MessageContract<T> contract, in T message) => Count(Offer(contract, in message, out _));

    /// <summary>Sends a message that is packed already: to many peers, say. It stays the caller's to dispose.</summary>
    /// <returns>Whether it will be written. Nothing says that it arrives; the reply to a request does.</returns>
    /// <remarks>The message's contract is not compared with the peer's.</remarks>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of the transport.</exception>
    public SendStatus Send(PackedMessage message) => Send(message, isSecret: false);

    /// <summary>The same with a message whose bytes are to be zeroed behind it.</summary>
    /// <param name="message">The message.</param>
    /// <param name="isSecret">Whether to zero it.</param>
    /// <inheritdoc cref="Send(PackedMessage)"/>
    public SendStatus Send(PackedMessage message, bool isSecret)
    {
        ThrowIfTooLarge(message, null);
        return Count(Offer(null, message, isSecret));
    }

    /// <summary>Sends an event by its type's declared contract, once there is room.</summary>
    /// <inheritdoc cref="SendAsync{T}(MessageContract{T}, T, CancellationToken)"/>
    public ValueTask<SendStatus> SendAsync<T>(T message, CancellationToken cancellationToken = default) =>
        SendAsync(MessageContract.GetDeclared<T>(), message, cancellationToken);

    /// <summary>Sends an event, once there is room.</summary>
    /// <param name="contract">What the message is on the wire.</param>
    /// <param name="message">The message.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The status, which is never <see cref="SendStatus.Full"/>.</returns>
    /// <exception cref="OperationCanceledException">The wait was ended; nothing was sent.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of this host or of the transport.</exception>
    public ValueTask<SendStatus> SendAsync<T>(MessageContract<T> contract, T message, CancellationToken cancellationToken = default)
    {
        var status = Offer(contract, in message, out var size);
        return status == SendStatus.Full ? WaitAndSendAsync(contract, message, size, cancellationToken) : new ValueTask<SendStatus>(Count(status));
    }

    /// <summary>Completes when everything that was sent so far is written, or the peer is gone.</summary>
    public Task FlushAsync() => _outbox.FlushAsync();

    /// <inheritdoc/>
    public override string ToString() => $"{RemoteName} (peer {Id})";

    private SendStatus Offer<T>(MessageContract<T> contract, in T message, out int size)
    {
        using var packed = _host.Writer.Pack(contract, in message);
        size = packed.Length;
        ThrowIfTooLarge(packed, contract.MessageType);
        return Offer(contract, packed, contract.IsSecret);
    }

    /// <summary>Sends a message unless the peer does not accept its contract or its size.</summary>
    private SendStatus Offer(MessageContract? contract, PackedMessage packed, bool isSecret)
    {
        if (contract is not null && !Contracts.Accepts(contract))
            return UnlessClosed(SendStatus.ContractMismatch);
        return packed.Length > RemoteMaxMessageSize ? UnlessClosed(SendStatus.TooLarge) : Append(packed, isSecret);
    }

    private SendStatus UnlessClosed(SendStatus refusal) => IsConnected && !IsLeaving ? refusal : SendStatus.Closed;

    /// <summary>Counts the status of a message that was not sent. Once for each message.</summary>
    private SendStatus Count(SendStatus status)
    {
        if (status != SendStatus.Sent)
        {
            _sends.Add(status);
            _host.CountUnsent(status);
        }

        return status;
    }

    // In front of the handshake's end a message would be taken for a part of it, and end it.
    private SendStatus Append(PackedMessage packed, bool isSecret) => _isAccepted ? _outbox.TryAppend(packed.Span, isSecret) : SendStatus.Closed;

    /// <summary>Lets messages of the program through: each side has accepted the other. Any number of times.</summary>
    /// <param name="isServer">Whether this side says so last, in front of them.</param>
    internal void Open(bool isServer)
    {
        if (_isAccepted)
            return;
        if (!isServer)
        {
            _isAccepted = true;
            return;
        }

        using var last = ControlMessage.Pack(ControlCode.Hello, default);
        _outbox.TryAppendControl(last.Span, () => _isAccepted = true);
    }

    /// <summary>Sends what was packed for many, if this peer can have it.</summary>
    internal bool TrySend(MessageContract? contract, PackedMessage packed, bool isSecret = false) =>
        Count(packed.Length > _channel.GetMaxMessageSize(packed.Span)
            ? UnlessClosed(SendStatus.TooLarge)
            : Offer(contract, packed, isSecret || contract is { IsSecret: true })) == SendStatus.Sent;

    /// <summary>Throws for a limit of this side: that of the transport, or that of the length prefix.</summary>
    private void ThrowIfTooLarge(PackedMessage packed, Type? type)
    {
        var size = packed.Length;
        var most = _channel.GetMaxMessageSize(packed.Span);
        if (size > most)
            throw new MessageTooLargeException($"{type?.ToString() ?? "The message"} takes {size} bytes, and {RemoteName} carries {most} at most. {_channel.MaxMessageSizeAdvice}", size, most);
        if (size > RemoteMaxMessageSize && Fifo is not null)
            throw new MessageTooLargeException($"{type?.ToString() ?? "The message"} takes {size} bytes, and a length of two bytes says {RemoteMaxMessageSize} at most. Send less at a time.", size, RemoteMaxMessageSize);
    }

    /// <summary>Tells of contracts that this side handles by now.</summary>
    internal void AnnounceContracts(MessageContract[] contracts)
    {
        if (!IsForeign)
            SendControl(ControlCode.Hello, ContractDescriptor.WriteAll(contracts));
    }

    /// <summary>Sends a control message, whatever the limits of the outbox are. This side bounds its number and size.</summary>
    internal void SendControl(uint opcode, ReadOnlySpan<byte> payload)
    {
        using var packed = ControlMessage.Pack(opcode, payload);
        _outbox.TryAppendControl(packed.Span);
    }

    /// <summary>Asks whether the other side is there.</summary>
    internal void Ping()
    {
        var now = Stopwatch.GetTimestamp();
        Volatile.Write(ref _pingedAt, now);
        SendControl(ControlCode.Ping, BitConverter.GetBytes(now));
    }

    /// <summary>An answer to the last ping says how long it took; any other number is the other side's invention, or late.</summary>
    internal void NotePong(long sentAt)
    {
        if (sentAt != 0 && Interlocked.CompareExchange(ref _pingedAt, 0, sentAt) == sentAt)
            Volatile.Write(ref _roundTripTicks, Math.Max(1, Stopwatch.GetElapsedTime(sentAt).Ticks));
    }

    /// <summary>Counts a message of its that can't be read. Any thread.</summary>
    /// <returns>Why to end it, if that was one too many.</returns>
    internal DisconnectReason? CountMalformed()
    {
        _host.CountMalformed();
        return Interlocked.Increment(ref _malformed) > _host.Options.Limits.MaxMalformedMessages ? DisconnectReason.Malformed : null;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<SendStatus> WaitAndSendAsync<T>(MessageContract<T> contract, T message, int size, CancellationToken cancellationToken)
    {
        while (true)
        {
            await _outbox.WaitForRoomAsync(size).WaitAsync(cancellationToken).ConfigureAwait(false);
            var status = Offer(contract, in message, out size);
            if (status != SendStatus.Full)
                return Count(status);
        }
    }
}
