using Reloaded.Messaging.CompilerServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>The common members of a server and a client: handlers, peers, sending, and events.</summary>
/// <remarks>
/// Thread-safe. Handlers of one peer start in the order of its messages, on the thread pool or inside <see cref="Pump"/>. Handlers of different peers may run
/// at the same time. Register handlers in the callback of <see cref="ListenAsync"/> or <see cref="ConnectAsync"/>, so that no message arrives before its
/// handler is registered. The peer of a handler that throws stays connected. The token of an asynchronous handler is canceled when its sender disconnects
/// and, for a handler of requests, when the sender cancels the request.
/// </remarks>
/// <example><code>
/// await using var server = await MessageHost.ListenAsync(MessageEndpoint.Local("greetings"), host =&gt;
/// {
///     host.OnRequest((Greet request) =&gt; new Greeting($"Hello, {request.Name}!"));
///     host.HandlerFailed += failure =&gt; Console.Error.WriteLine(failure.Exception);
/// });
/// await using var client = await MessageHost.ConnectAsync(server.Endpoint);
/// Greeting greeting = await client.RequestAsync(new Greet("Ada"));
///
/// [Message(1)] public sealed record Greet(string Name) : IRequest&lt;Greeting&gt;;
/// [Message(2)] public sealed record Greeting(string Text);
/// </code></example>
public abstract partial class MessageHost : HandlerHost<Peer>, IAsyncDisposable
{
    private readonly object _disposeGate = new();
    private readonly CancellationTokenSource _disposed = new();
    private static readonly TimeSpan s_stopInterval = TimeSpan.FromMilliseconds(10);

    private readonly HostMaintenance _maintenance;
    private Action<PumpStall>? _unheardStall = static stall => Console.Error.WriteLine(
        $"Reloaded.Messaging: {stall} Call MessageHost.Pump once a frame. PumpStalled reports further stalls."); // null after its call
    private long _lastId;
    private Task? _disposing;
    private bool _isDisposing;
    private volatile bool _isStopping;

    /// <summary>Declares the messages of the library. The netstandard2.1 build has no module initializers.</summary>
    static MessageHost()
    {
        CheckVersions();
        CompilerServices.MessageContracts.Declare();
        Acknowledgement.Contract.Declare();
    }

    /// <summary>Compares the versions of the assemblies, where they call internal methods of each other.</summary>
    static partial void CheckVersions();

    private protected MessageHost(MessageHostOptions options, MessageEndpoint endpoint, TransportContext context)
    {
        OperationInstruments.Publish();
        HostMetrics.Publish();
        Options = options;
        Taps = new HostTaps(Events);
        Resources = new HostResources(options, Taps);
        Datagrams = context.Datagrams;
        Datagrams.Failed += e => Events.Failures.Call(DatagramFailed, e); // the transport counts the exception of the datagram; one of an event handler is only counted
        Handlers = new HandlerTable<Peer, MessageContext>(Options.MessageLimits);
        Registry = new PeerRegistry(this, Events, Resources);
        Contracts = new HostContracts(this);
        Dispatcher.ConditionOf = ConditionOf;
        Login = new LoginGate(this);
        if (CarriesTraceContext)
            Contracts.Announce(TraceContext.Contract);
        Inbox = Options.IsPumped ? new PumpInbox(this, RaisePumpStalled) : null;
        _maintenance = new HostMaintenance(this, endsPeersThatDoNotRead: IsServer); // a client has only one server and does not disconnect it
        EndpointTag = OperationTags.Endpoints.Use(endpoint.ToString());
        HostTimer.Shared.Add(Tick);
        HostMetrics.Add(this);
    }

    /// <summary>Raised when a peer has completed the handshake, so that messages can be sent to it. Raised on the thread that receives from the peer. Return soon.</summary>
    public event Action<Peer>? PeerConnected;

    /// <summary>Raised when a peer has disconnected, with the reason. Raised once for each connected peer, after its <see cref="PeerConnected"/> event has returned.</summary>
    /// <remarks>Raised on any thread except the thread that ends overdue requests and sends keep-alives. An event handler may block.</remarks>
    public event Action<Peer, DisconnectReason>? PeerDisconnected;

    /// <summary>Raised when a handler threw an exception. The peer stays connected. The sender of a request receives a fault.</summary>
    /// <remarks>Also raised when an event handler, a tap, a transport of the program, or a listener of spans or durations threw. While the event has no subscriber, the first exception of the host is written to the standard error.</remarks>
    public event Action<HandlerFailure>? HandlerFailed
    {
        add => Events.Failures.Failed += value;
        remove => Events.Failures.Failed -= value;
    }

    /// <summary>Raised when the handling of a UDP datagram threw an exception, or LiteNetLib logged an error. The datagram was dropped and counted: <see cref="DatagramDropReason.Failed"/>. The host continues with the next one.</summary>
    /// <remarks>Raised on the thread that receives. Return soon.</remarks>
    public event Action<Exception>? DatagramFailed;

    /// <summary>Raised when a contract of a peer differs from the contract of this host, with the id of the type and the first difference.</summary>
    public event Action<Peer, ContractMismatch>? ContractMismatched;

    /// <summary>Raised when a peer has disconnected before its queued messages were sent, with the number of messages. Raised once for each such peer, after its channel is closed, on any thread.</summary>
    /// <remarks>
    /// The messages include pings and other messages of the library. Messages that were being written may have arrived. <see cref="HostStatistics.LostFrames"/>
    /// counts the messages. <see cref="MessageHostOptions.FlushTimeout"/> limits the time for which a disconnect waits for them.
    /// </remarks>
    public event Action<Peer, int>? MessagesLost;

    /// <summary>Raised when events or requests of a peer were received completely and are not handled, because this side ended the connection or was disposed, with the number of messages.</summary>
    /// <remarks>
    /// Raised on any thread, at most twice for a peer: for the messages that its connection had received, and for those that waited for <see cref="Pump"/> when the host was disposed.
    /// <see cref="HostStatistics.UnhandledMessages"/> counts the messages. Nothing counts the messages that the transport or the operating system holds and the host has not read.
    /// </remarks>
    public event Action<Peer, int>? MessagesUnhandled;

    /// <summary>Raised when messages wait and <see cref="Pump"/> was not called for <see cref="MessageHostOptions.RequestTimeout"/>. Raised on the thread pool, once for each time that the calls stop.</summary>
    /// <remarks>Without a subscriber, the first one is written to the standard error. Requests of the remote side time out meanwhile. <see cref="HostStatistics.PumpStalls"/> counts these events.</remarks>
    public event Action<PumpStall>? PumpStalled;

    /// <summary>The options of the host.</summary>
    public MessageHostOptions Options { get; }

    /// <summary>The connected peers at the time of the call.</summary>
    public IReadOnlyCollection<Peer> Peers => (IReadOnlyCollection<Peer>)Registry.Connected.Values;

    /// <summary>The group of all connected peers. Enumerating it and broadcasting to it allocate nothing. Peers are added and removed automatically.</summary>
    public PeerGroup AllPeers => Registry.Group;

    /// <summary>The objects that all connections share.</summary>
    internal readonly HostResources Resources;

    internal readonly RequestCounters RequestCounters = new();

    internal readonly HostEvents Events = new();

    /// <inheritdoc cref="MessageHostOptions.CarriesTraceContext"/>
    internal bool CarriesTraceContext => Options.CarriesTraceContext && MessageOperation.IsSupported;

    /// <summary>The endpoint, for metrics and spans.</summary>
    internal readonly string EndpointTag;

    internal readonly HostTaps Taps;

    internal readonly PeerRegistry Registry;

    internal readonly HostContracts Contracts;

    internal readonly LoginGate Login;

    /// <summary>The queue of messages for <see cref="Pump"/>; <c>null</c> for a host that is not pumped.</summary>
    internal readonly PumpInbox? Inbox;

    /// <summary>The token that both sides must know: the token of the options, or the token of a server that was found by its process.</summary>
    internal virtual ReadOnlyMemory<byte> Token => Options.Token;

    /// <summary>The counters of datagrams.</summary>
    internal readonly DatagramCounters Datagrams;

    /// <summary>Creates a server that listens for clients.</summary>
    /// <param name="endpoint">The endpoint to listen at.</param>
    /// <param name="configure">Registers handlers before the first message can arrive.</param>
    /// <param name="options">The options; <see langword="null"/> for the defaults.</param>
    /// <returns>The server. It listens when the task is complete.</returns>
    /// <exception cref="InvalidOperationException">Thrown when another server listens at the endpoint, when its files cannot be created, when the options contradict each other, or when the endpoint is accessible to other machines and has no token or no encryption.</exception>
    public static async Task<MessageServer> ListenAsync(MessageEndpoint endpoint, Action<MessageServer>? configure = null, MessageHostOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        options ??= new MessageHostOptions();
        var context = options.MakeTransportContext();
        var listener = await Detached.Start(() => endpoint.ListenAsync(context)).ConfigureAwait(false);
        MessageServer? server = null;
        try
        {
            server = new MessageServer(endpoint with { Port = listener.Address.Port }, listener, context, options);
            configure?.Invoke(server);
            server.Start();
            return server;
        }
        catch
        {
            await ((IAsyncDisposable?)server ?? listener).DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Connects to a server. With <see cref="MessageHostOptions.Reconnect"/>, the call retries while the server is not running or is full. It throws after a permanent failure, such as a wrong token.</summary>
    /// <param name="endpoint">The endpoint of the server.</param>
    /// <param name="configure">Registers handlers before the first message can arrive.</param>
    /// <param name="options">The options; <see langword="null"/> for the defaults.</param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    /// <returns>The connected client. The server has already registered it as a peer, so a broadcast of the server reaches it.</returns>
    /// <exception cref="TransportClosedException">Thrown when no server listens at the endpoint, or when TLS fails.</exception>
    /// <exception cref="DiscoveryException">Thrown when the process does not exist, or has no server of that name.</exception>
    /// <exception cref="HandshakeException">Thrown when the connection was established but the handshake failed.</exception>
    /// <exception cref="InvalidOperationException">Thrown when the options contradict each other, or when the token is too short for the endpoint.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token was canceled, or when the program disposed the client that <paramref name="configure"/> received.</exception>
    public static async Task<MessageClient> ConnectAsync(
        MessageEndpoint endpoint,
        Action<MessageClient>? configure = null,
        MessageHostOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        options ??= new MessageHostOptions();
        var dialer = new Dialer(endpoint, options);
        var (channel, token) = await Detached.Run(() => dialer.DialUntilReachedAsync(cancellationToken)).ConfigureAwait(false);
        MessageClient? client = null;
        try
        {
            client = new MessageClient(dialer, channel, token, options);
            configure?.Invoke(client);
            await Detached.Run(() => client.StartAsync(cancellationToken)).ConfigureAwait(false);
            return client;
        }
        catch
        {
            await ((IAsyncDisposable?)client ?? channel).DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Stops the host without losing work: refuses new connections and requests, waits for running handlers, and then disposes the host.</summary>
    /// <param name="cancellationToken">Ends the wait for handlers. The host is then disposed at once, and the call does not throw.</param>
    /// <returns>A task that completes when the host is disposed.</returns>
    /// <remarks>
    /// Waits for up to <see cref="MessageHostOptions.StopTimeout"/>: for handlers, also those of disconnected peers, for messages that wait for <see cref="Pump"/> (which the program must still call), and
    /// for streams and files that peers read. The tokens of what still runs are then canceled. Meanwhile, the connections stay open, events are still handled, and
    /// each new request receives a fault with <see cref="FaultCode.Stopping"/>. A client with <see cref="ReconnectOptions.ResendsRequests"/> sends such a request again when it has
    /// reconnected. Do not await this call in a handler of the host, because it waits for that handler. Thread-safe.
    /// </remarks>
    public async Task StopAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            await StopAcceptingAsync().ConfigureAwait(false);
            await DrainAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            await DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Sends a goodbye to all peers, writes queued messages for up to <see cref="MessageHostOptions.FlushTimeout"/>, and frees all resources. Every call waits until this is complete.</summary>
    /// <remarks>The tokens of running handlers are canceled, and a handler may still run after this call. <see cref="StopAsync"/> waits for handlers.</remarks>
    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        Volatile.Write(ref _isDisposing, true); // before the task starts: the waits that it ends say why they end
        lock (_disposeGate)
            return new ValueTask(_disposing ??= Detached.Run(FreeAsync));
    }

    /// <summary>Returns a sentence that says that the host was disposed, or <c>null</c> if it was not disposed.</summary>
    internal string? DescribeDisposal() => Volatile.Read(ref _isDisposing) ? $"The {Role} was disposed." : null;

    /// <summary>Canceled when the host is disposed.</summary>
    internal CancellationToken Disposed => _disposed.Token;

    /// <inheritdoc cref="HostMaintenance.Tick(long)"/>
    internal void Tick(long now) => _maintenance.Tick(now);

    /// <summary>Whether this side accepts connections. Otherwise, it has opened the only connection.</summary>
    internal abstract bool IsServer { get; }

    /// <summary>"server" or "client", for texts and tags.</summary>
    internal string Role => IsServer ? "server" : "client";

    /// <summary>Whether new requests are refused: see <see cref="StopAsync"/>.</summary>
    internal bool IsStopping => _isStopping;

    /// <summary>Throws if the host can no longer begin to check credentials, or never can.</summary>
    private protected abstract void ThrowIfNoAuthentication();

    /// <summary>Refuses new connections. Open connections continue. May be called more than once.</summary>
    private protected virtual ValueTask StopAcceptingAsync() => default;

    /// <summary>Accepts and opens no further connections. Does not throw.</summary>
    private protected virtual ValueTask StopListeningAsync() => default;

    /// <summary>Adds a peer to the connected peers. Called before any event is raised.</summary>
    internal virtual void NoteHandshake(Peer peer)
    {
    }

    /// <summary>Makes an authenticated connection a peer.</summary>
    /// <returns>The reason why the connection cannot become a peer, or <see langword="null"/> if it is a peer now.</returns>
    internal virtual DisconnectReason? TryAdmit(Peer peer) => null;

    /// <summary>Removes a connection that has ended. May be called more than once, from any thread.</summary>
    internal virtual void NoteEnd(Peer peer)
    {
    }

    /// <summary>Counts and reports messages that were received and will not be handled.</summary>
    internal void NoteUnhandled(Peer peer, int count)
    {
        if (count == 0)
            return;
        Resources.Counters.Add(HostCounter.UnhandledMessages, count);
        Raise(MessagesUnhandled, peer, count);
    }

    internal void RaiseConnected(Peer peer) => Events.Call(peer, () => PeerConnected?.Invoke(peer));

    internal void RaiseDisconnected(Peer peer, DisconnectReason reason)
    {
        ServiceEvents.RemoveAll(peer);
        Raise(PeerDisconnected, peer, reason);
    }

    internal void RaiseLost(Peer peer, int count) => Raise(MessagesLost, peer, count);

    internal void RaiseMismatch(Peer peer, ContractMismatch mismatch) => Raise(ContractMismatched, peer, mismatch);

    /// <summary>Reports a connection that ended before it became a peer.</summary>
    internal virtual void RaiseRefused(Peer peer, DisconnectReason reason) => ServiceEvents.RemoveAll(peer);

    private protected Peer MakePeer(TransportChannel channel) => new(this, channel, Interlocked.Increment(ref _lastId));

    /// <summary>Makes a peer. Disposes the channel if one of its properties throws.</summary>
    private protected async ValueTask<Peer> MakePeerAsync(TransportChannel channel)
    {
        try
        {
            return MakePeer(channel);
        }
        catch
        {
            await Events.CallAsync(null, channel.DisposeAsync).ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Removes the host from the objects of the process that would keep it alive. Called once.</summary>
    private protected void Unregister()
    {
        HostMetrics.Remove(this);
        HostTimer.Shared.Remove(Tick);
        OperationTags.Endpoints.Release(EndpointTag);
    }

    /// <summary>Returns the condition of a handler that is being registered while peers are connected: the sender of a message had read the announcement of the contract, or had announced the same contract in its handshake. Other messages may have another layout.</summary>
    private HandlerCondition<MessageContext>? ConditionOf(uint type) => Contracts.FindLateAnnouncement(type) is { } announcement
        ? (in MessageContext context) => context.KnownAnnouncement >= announcement || context.Peer.Connection.Contracts.IsEarly(type, announcement)
        : null;

    private void Raise<T>(Action<Peer, T>? handlers, Peer peer, T value) => Events.Call(peer, () => handlers?.Invoke(peer, value));

    /// <remarks>Raised on the thread pool. An exception of an event handler is only counted, because it concerns no peer. Without a subscriber, the first stall is written to the standard error.</remarks>
    private void RaisePumpStalled(PumpStall stall) => Events.RaiseLater(() => Events.Failures.Call(PumpStalled ?? Interlocked.Exchange(ref _unheardStall, null), stall));

    /// <summary>Refuses new requests, and waits until nothing runs that the program would lose.</summary>
    private async Task DrainAsync(CancellationToken cancellationToken)
    {
        _isStopping = true;
        Interlocked.MemoryBarrierProcessWide(); // a receiving thread either sees the flag, or is seen below while it handles a request
        var endsAt = Environment.TickCount64 + (long)Options.StopTimeout.TotalMilliseconds;
        while (HasWork() && Environment.TickCount64 < endsAt && !cancellationToken.IsCancellationRequested && !Volatile.Read(ref _isDisposing))
            await Task.Delay(s_stopInterval, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>Whether a message is handled or waits for a pump. The order is that in which a message passes these stages, so that no message is missed.</summary>
    private bool HasWork()
    {
        var peers = Registry.GetAll();
        return HasAny(peers, receives: true) || Inbox is { HasWork: true } || HasAny(peers, receives: false) || Registry.HasWork;

        static bool HasAny(Peer[] peers, bool receives)
        {
            foreach (var peer in peers)
            {
                if (peer.Connection.WasOpen && (receives ? peer.Connection.KeepAlive.IsHandling : peer.HasWork))
                    return true;
            }

            return false;
        }
    }

    private async Task FreeAsync()
    {
        try
        {
            await StopListeningAsync().ConfigureAwait(false);
            await WithinAsync(() => Task.WhenAll(Array.ConvertAll(Registry.GetAll(), static peer => peer.DisconnectAsync())), seconds: 2).ConfigureAwait(false); // longer than each of them waits for its peer
            await WithinAsync(WaitForEndedAsync, seconds: 1).ConfigureAwait(false);
        }
        finally
        {
            Unregister(); // after the messages that the peers lost are counted
            Inbox?.Detach();
            await Events.CallAsync(null, () => new ValueTask(_disposed.CancelAsync())).ConfigureAwait(false);
        }
    }

    /// <summary>Runs a part of the disposal. An event handler that waits for the disposal blocks this part alone, and only for the flush timeout and some seconds.</summary>
    private async Task WithinAsync(Func<Task> part, int seconds) =>
        await (await Task.WhenAny(Detached.Run(part), Task.Delay(Options.FlushTimeout + TimeSpan.FromSeconds(seconds))).ConfigureAwait(false)).ConfigureAwait(false);

    /// <summary>Ends the queue of the pump, and waits for the connections that ended a moment ago and for their events. Afterwards, their port or path is free, and no event is raised.</summary>
    private async Task WaitForEndedAsync()
    {
        Inbox?.Close();
        await Resources.WaitUntilFreedAsync().ConfigureAwait(false);
        await Events.WaitUntilRaisedAsync().ConfigureAwait(false);
    }
}
