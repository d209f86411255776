using System.Collections.Concurrent;
using System.Globalization;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>Exchanges events with programs built on Reloaded.Messaging 2.0: one message per packet, reliable and in order, with the types 0 to 127.</summary>
/// <remarks>
/// <para>
/// 2.0 has no handshake and no requests. <see cref="LiteNetOptions.ConnectionKey"/> is the password of its programs. There is no token and no encryption, so such a server
/// listens on this machine only. A program on 2.0 always compresses a type that has a compressor: use a contract with <see cref="CompressionOptions"/> that has a threshold
/// of 0 and <c>evenIfLarger</c>.
/// </para>
/// <para>
/// <b>Threads.</b> Thread-safe. Handlers run as those of a <see cref="MessageHost"/> over a <see cref="LiteNetTransport"/>: on the receiving thread of LiteNetLib, or in
/// <see cref="LiteNetTransport.Poll"/>.
/// </para>
/// </remarks>
public sealed class CompatibleHost : HandlerHost<CompatiblePeer>, IAsyncDisposable
{
    private readonly ConcurrentDictionary<CompatiblePeer, bool> _peers = new();
    private readonly FailureReporter<CompatibleFailure> _failures = new(WriteUnheard);
    private readonly MessageWriter _writer;
    private readonly TransportContext _context;
    private TransportListener? _listener;
    private CompatiblePeer? _server;
    private Task _accepting = Task.CompletedTask;
    private long _lost;
    private long _malformed;
    private volatile bool _isDisposed;

    private CompatibleHost(MessageEndpoint endpoint, MessageLimits limits, TimeSpan flushTimeout)
    {
        (Endpoint, FlushTimeout) = (endpoint, flushTimeout);
        _writer = new MessageWriter(limits);
        Handlers = new HandlerTable<CompatiblePeer, CompatibleContext>(limits);
        _context = new TransportContext { FlushTimeout = flushTimeout, MaxFrameSize = limits.MaxMessageSize };
        _context.Datagrams.Failed += e => _failures.Call(DatagramFailed, e);
    }

    /// <summary>Raised when a program has connected, before its first message is handled. Return soon.</summary>
    public event Action<CompatiblePeer>? PeerConnected;

    /// <summary>Raised when a connection has ended, once for each connected program, on any thread.</summary>
    public event Action<CompatiblePeer, DisconnectReason>? PeerDisconnected;

    /// <summary>Raised when a connection has ended before the program has acknowledged all messages, with the number of messages. The number is an upper bound.</summary>
    public event Action<CompatiblePeer, int>? MessagesLost;

    /// <summary>Raised when LiteNetLib logged an error, on its thread. Return soon.</summary>
    public event Action<Exception>? DatagramFailed;

    /// <summary>Raised when a handler, or a handler of an event of this host, threw an exception. Without a subscriber, the first one is written to the standard error.</summary>
    public event Action<CompatibleFailure>? HandlerFailed
    {
        add => _failures.Failed += value;
        remove => _failures.Failed -= value;
    }

    /// <summary>The endpoint, with the port at which the host listens.</summary>
    public MessageEndpoint Endpoint { get; private set; }

    /// <summary>The connected programs at the time of the call.</summary>
    public IReadOnlyCollection<CompatiblePeer> Peers => (IReadOnlyCollection<CompatiblePeer>)_peers.Keys;

    /// <summary>The program to which this host has connected.</summary>
    /// <exception cref="InvalidOperationException">Thrown when this host listens.</exception>
    public CompatiblePeer Server => _server ?? throw new InvalidOperationException("This host listens, or is not connected yet. Use Peers, or the peer that a handler receives.");

    /// <summary>The number of messages that were lost by disconnects: see <see cref="MessagesLost"/>.</summary>
    public long LostMessages => Volatile.Read(ref _lost);

    /// <summary>The number of unreadable messages. A program that sends more than 16 of them is disconnected.</summary>
    public long MalformedMessages => Volatile.Read(ref _malformed);

    internal TimeSpan FlushTimeout { get; }

    internal HandlerTable<CompatiblePeer, CompatibleContext> Handlers { get; }

    /// <summary>Listens for programs built on 2.0.</summary>
    /// <param name="endpoint">An endpoint of a <see cref="LiteNetTransport"/> on this machine. Port 0 lets the system choose a port.</param>
    /// <param name="configure">Registers handlers before the first message can arrive.</param>
    /// <param name="limits">The limits of the size of a message (default: 1 MiB, and 1 MiB after decompression).</param>
    /// <param name="flushTimeout">
    /// The maximum time for which a disconnect, and disposing the host, waits until the queued messages are sent, and once more until the other program has acknowledged
    /// them (more than zero, at most 24 days; default: 1 s). Messages that are left are lost: <see cref="MessagesLost"/> reports them.
    /// </param>
    /// <exception cref="ArgumentException">Thrown when the endpoint has another transport.</exception>
    /// <exception cref="InvalidOperationException">Thrown when the address is in use, or can be reached from other machines.</exception>
    public static async Task<CompatibleHost> ListenAsync(MessageEndpoint endpoint, Action<CompatibleHost>? configure = null, MessageLimits? limits = null, TimeSpan? flushTimeout = null)
    {
        var host = Create(endpoint, configure, limits, flushTimeout, out var compatible);
        var listener = await compatible.ListenAsync(host._context).ConfigureAwait(false);
        host._listener = listener;
        host.Endpoint = endpoint with { Port = listener.Address.Port };
        host._accepting = Detached.Run(() => host.AcceptAsync(listener));
        return host;
    }

    /// <summary>Connects to a program built on 2.0.</summary>
    /// <param name="endpoint">An endpoint of a <see cref="LiteNetTransport"/>.</param>
    /// <param name="configure">Registers handlers before the first message can arrive.</param>
    /// <param name="limits">The limits of the size of a message (default: 1 MiB, and 1 MiB after decompression).</param>
    /// <param name="flushTimeout">
    /// The maximum time for which a disconnect, and disposing the host, waits until the queued messages are sent, and once more until the other program has acknowledged
    /// them (more than zero, at most 24 days; default: 1 s). Messages that are left are lost: <see cref="MessagesLost"/> reports them.
    /// </param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    /// <exception cref="ArgumentException">Thrown when the endpoint has another transport.</exception>
    /// <exception cref="TransportClosedException">Thrown when no program listens at the address, or when it refuses the connection.</exception>
    public static async Task<CompatibleHost> ConnectAsync(MessageEndpoint endpoint, Action<CompatibleHost>? configure = null, MessageLimits? limits = null, TimeSpan? flushTimeout = null, CancellationToken cancellationToken = default)
    {
        var host = Create(endpoint, configure, limits, flushTimeout, out var compatible);
        var channel = await compatible.ConnectAsync(host._context, cancellationToken).ConfigureAwait(false);
        host._server = host.Add(channel);
        host.Start(host._server);
        return host;
    }

    /// <inheritdoc/>
    public override void AddFilter(Func<HandlerCall, ValueTask> filter, Type? messageType = null) => Handlers.AddFilter(filter, messageType);

    /// <inheritdoc/>
    public override HandlerRegistration On<T>(MessageContract<T> contract, EventMessageHandler<T, CompatiblePeer> handler) => Handlers.On(contract, handler);

    /// <inheritdoc/>
    public override HandlerRegistration On<T>(MessageContract<T> contract, Func<T, CompatiblePeer, CancellationToken, ValueTask> handler) => Handlers.On(contract, handler);

    /// <summary>Throws, because programs built on 2.0 send no requests.</summary>
    /// <exception cref="NotSupportedException">Thrown always.</exception>
    public override HandlerRegistration OnRequest<TRequest, TReply>(MessageContract<TRequest> contract, MessageContract<TReply> replyContract, RequestHandler<TRequest, TReply, CompatiblePeer> handler) => throw NoRequests();

    /// <summary>Throws, because programs built on 2.0 send no requests.</summary>
    /// <exception cref="NotSupportedException">Thrown always.</exception>
    public override HandlerRegistration OnRequest<TRequest, TReply>(MessageContract<TRequest> contract, MessageContract<TReply> replyContract, AsyncRequestHandler<TRequest, TReply, CompatiblePeer> handler) => throw NoRequests();

    /// <summary>Sends an event to all connected programs, by its declared contract.</summary>
    /// <param name="message">The event.</param>
    /// <inheritdoc cref="Broadcast{T}(MessageContract{T}, in T)"/>
    public int Broadcast<T>(in T message) => Broadcast(MessageContract.GetDeclared<T>(), in message);

    /// <summary>Sends an event to all connected programs. Never waits. The event is packed for each program.</summary>
    /// <param name="contract">The contract, with a type of 0 to 127.</param>
    /// <param name="message">The event.</param>
    /// <returns>The number of programs to which the event was sent.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type is above 127.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the event exceeds the limits of the host.</exception>
    public int Broadcast<T>(MessageContract<T> contract, in T message)
    {
        var sent = 0;
        foreach (var (peer, _) in _peers)
            sent += peer.Send(contract, in message) == SendStatus.Sent ? 1 : 0;
        return sent;
    }

    /// <summary>Stops listening, and disconnects all programs: see <see cref="CompatiblePeer.DisconnectAsync"/>.</summary>
    public async ValueTask DisposeAsync()
    {
        _isDisposed = true;
        await EndPeersAsync().ConfigureAwait(false); // first, because the channels keep the port
        if (_listener is { } listener)
            await listener.DisposeAsync().ConfigureAwait(false);
        await _accepting.ConfigureAwait(false);
        await EndPeersAsync().ConfigureAwait(false); // those that connected meanwhile
    }

    /// <summary>Packs an event for a peer.</summary>
    internal PackedMessage Pack<T>(MessageContract<T> contract, in T message)
    {
        ArgumentNullException.ThrowIfNull(contract);
        return contract.Type <= CompatibleChannel.LastType
            ? _writer.Pack(contract, in message)
            : throw new InvalidOperationException($"Programs built on Reloaded.Messaging 2.0 have the message ids 0 to {CompatibleChannel.LastType}; {contract.MessageType} has the id {contract.Type}. Give the contract another id.");
    }

    internal void CountMalformed() => Interlocked.Increment(ref _malformed);

    internal void RaiseConnected(CompatiblePeer peer) => Call(peer, () => PeerConnected?.Invoke(peer));

    internal void RaiseDisconnected(CompatiblePeer peer, DisconnectReason reason) => Call(peer, () => PeerDisconnected?.Invoke(peer, reason));

    internal void ReportFailure(CompatiblePeer? peer, uint type, Exception exception) => _failures.Report(new CompatibleFailure(peer, type, exception));

    /// <summary>Removes a peer whose channel is disposed.</summary>
    internal void Forget(CompatiblePeer peer, int lost)
    {
        _peers.TryRemove(peer, out _);
        Interlocked.Add(ref _lost, lost);
        if (lost > 0)
            Call(peer, () => MessagesLost?.Invoke(peer, lost));
    }

    private static CompatibleHost Create(MessageEndpoint endpoint, Action<CompatibleHost>? configure, MessageLimits? limits, TimeSpan? flushTimeout, out MessageEndpoint compatible)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        if (endpoint.Transport is not LiteNetTransport transport)
            throw new ArgumentException($"Programs built on Reloaded.Messaging 2.0 use LiteNetLib; {endpoint} does not. Use an endpoint of {nameof(LiteNetTransport)}.{nameof(LiteNetTransport.At)}.", nameof(endpoint));
        compatible = MessageEndpoint.Over(new CompatibleTransport(transport), endpoint.Address, endpoint.Port);
        var host = new CompatibleHost(endpoint, limits ?? MessageLimits.Default, Guard.PositiveUpTo(TimeSpan.FromDays(24), flushTimeout ?? TimeSpan.FromSeconds(1), nameof(flushTimeout))); // the maximum delay of the timers of every runtime
        configure?.Invoke(host);
        return host;
    }

    private static NotSupportedException NoRequests() => new("Programs built on Reloaded.Messaging 2.0 send no requests. Register a handler of events by On.");

    private static void WriteUnheard(CompatibleFailure failure) => UnheardFailure.Write(
        failure.Exception,
        string.Create(CultureInfo.InvariantCulture, $"message: {failure.Type}, peer: {failure.Peer?.RemoteName ?? "none"}"),
        "CompatibleHost.HandlerFailed");

    private Task EndPeersAsync()
    {
        var ending = new List<Task>();
        foreach (var (peer, _) in _peers)
            ending.Add(peer.DisconnectAsync());
        return Task.WhenAll(ending);
    }

    private async Task AcceptAsync(TransportListener listener)
    {
        while (await listener.AcceptAsync(default).ConfigureAwait(false) is { } channel)
            Start(Add(channel));
    }

    private CompatiblePeer Add(TransportChannel channel)
    {
        var peer = new CompatiblePeer(this, (CompatibleChannel)channel);
        _peers[peer] = true;
        return peer;
    }

    private void Start(CompatiblePeer peer)
    {
        if (_isDisposed)
            _ = peer.DisconnectAsync(); // the host ended its peers before
        else
            _ = Detached.Run(peer.RunAsync);
    }

    private void Call(CompatiblePeer peer, Action call) => _failures.Call(call, e => new CompatibleFailure(peer, 0, e));
}

/// <summary>An exception of a handler: see <see cref="CompatibleHost.HandlerFailed"/>.</summary>
/// <param name="Peer">The program that sent the message.</param>
/// <param name="Type">The type of the message; 0 for a handler of an event of the host.</param>
/// <param name="Exception">The exception.</param>
public sealed record CompatibleFailure(CompatiblePeer? Peer, uint Type, Exception Exception);
