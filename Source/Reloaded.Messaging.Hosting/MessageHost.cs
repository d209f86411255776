using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>What a server and a client have in common: handlers, peers, and what goes wrong with them.</summary>
/// <remarks>
/// Thread-safe. Handlers of one peer start in order, on the thread pool or where <see cref="Pump"/> is called; those of different peers run
/// at the same time. Register them before anything is sent to the host, in the callback that <see cref="ListenAsync"/> and
/// <see cref="ConnectAsync"/> take.
/// </remarks>
public abstract partial class MessageHost : IAsyncDisposable
{
    private readonly CancellationTokenSource _disposed = new();
    private readonly HostTimer _timer;
    private long _lastId;
    private Task? _disposing;

    private protected MessageHost(MessageHostOptions options, LengthPrefix prefix, TransportContext context)
    {
        Options = options;
        Resources = new HostResources(options, prefix);
        Datagrams = context.Datagrams;
        Datagrams.Failed += Events.RaiseDatagramFailed;
        Handlers = new HandlerTable<Peer, MessageContext>(Options.MessageLimits);
        Registry = new PeerRegistry(this, Events, Resources.Counters);
        Contracts = new HostContracts(Handlers.Dispatcher, Registry, Resources);
        Login = new LoginGate(this);
        Pumping = Options.IsPumped ? new HostPump(this, Events.RaisePumpStalled) : null;
        _timer = new HostTimer(this, endsPeersThatDoNotRead: this is MessageServer); // a client waits for the one server that it chose
    }

    /// <summary>A peer shook hands and can be sent to. On the thread that receives from it; return soon.</summary>
    public event Action<Peer>? PeerConnected
    {
        add => Events.PeerConnected += value;
        remove => Events.PeerConnected -= value;
    }

    /// <summary>A peer is gone, and why. Raised once for each peer that was connected, after its <see cref="PeerConnected"/> has returned.</summary>
    /// <remarks>Any thread, but never the one that ends overdue requests and sends keep-alives: a handler that waits delays nobody else.</remarks>
    public event Action<Peer, DisconnectReason>? PeerDisconnected
    {
        add => Events.PeerDisconnected += value;
        remove => Events.PeerDisconnected -= value;
    }

    /// <summary>A handler threw. Its peer goes on; a requester got a fault.</summary>
    public event Action<HandlerFailure>? HandlerFailed
    {
        add => Events.Failures.Failed += value;
        remove => Events.Failures.Failed -= value;
    }

    /// <summary>Raised when the handling of a UDP datagram threw an exception. The datagram was dropped and counted: <see cref="DatagramDropReason.Failed"/>. The host continues with the next one.</summary>
    /// <remarks>Raised on the thread that receives. Return soon.</remarks>
    public event Action<Exception>? DatagramFailed
    {
        add => Events.DatagramFailed += value;
        remove => Events.DatagramFailed -= value;
    }

    /// <summary>A peer knows a type by another contract: its id, and what the first difference is.</summary>
    public event Action<Peer, ContractMismatch>? ContractMismatched
    {
        add => Events.ContractMismatched += value;
        remove => Events.ContractMismatched -= value;
    }

    /// <summary>Messages wait, and <see cref="Pump"/> was not called for <see cref="MessageHostOptions.RequestTimeout"/>. Raised on the thread pool, once for each time that the calls stop.</summary>
    /// <remarks>Requests of the remote side time out meanwhile. <see cref="HostStatistics.PumpStalls"/> counts these events.</remarks>
    public event Action<PumpStall>? PumpStalled
    {
        add => Events.PumpStalled += value;
        remove => Events.PumpStalled -= value;
    }

    /// <summary>How the host behaves.</summary>
    public MessageHostOptions Options { get; }

    /// <summary>The peers that shook hands, as of now.</summary>
    public IReadOnlyCollection<Peer> Peers => (IReadOnlyCollection<Peer>)Registry.Connected.Values;

    /// <summary>The peers that shook hands, as a group: to go through and to send to without allocating. Peers join and leave it by themselves.</summary>
    public PeerGroup AllPeers => Registry.Group;

    /// <summary>What all connections share.</summary>
    internal HostResources Resources { get; }

    internal RequestCounters RequestCounters { get; } = new();

    internal HostEvents Events { get; } = new();

    internal PeerRegistry Registry { get; }

    internal HostContracts Contracts { get; }

    internal LoginGate Login { get; }

    /// <summary>The messages that wait for <see cref="Pump"/>; <c>null</c> for a host that is not pumped.</summary>
    internal HostPump? Pumping { get; }

    /// <summary>What the other side has to know: the options' token, or that of a server which was found by its process.</summary>
    internal virtual ReadOnlyMemory<byte> Token => Options.Token;

    internal CancellationToken DisposedToken => _disposed.Token;

    private protected HostCounters Counters => Resources.Counters;

    /// <summary>The counters of datagrams.</summary>
    internal DatagramCounters Datagrams { get; }

    /// <summary>Listens for peers.</summary>
    /// <param name="endpoint">Where.</param>
    /// <param name="configure">Registers handlers before the first peer can say anything.</param>
    /// <param name="options">How to behave.</param>
    /// <returns>The server: it listens when the task is done.</returns>
    /// <exception cref="InvalidOperationException">A server listens there already, its files can't be made, the options contradict each other, or the endpoint is open to other machines and there is no token or no TLS.</exception>
    public static async Task<MessageServer> ListenAsync(MessageEndpoint endpoint, Action<MessageServer>? configure = null, MessageHostOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        options ??= new MessageHostOptions();
        options.Check();
        var context = options.MakeTransportContext();
        var listener = await endpoint.ListenAsync(context).ConfigureAwait(false);
        MessageServer? server = null;
        try
        {
            server = new MessageServer(endpoint, listener, context, options);
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

    /// <summary>Connects to a server. With <see cref="MessageHostOptions.Reconnect"/> it waits for a server that is not there yet, or has no room; it throws when the server refuses it for good, as by a wrong token.</summary>
    /// <param name="endpoint">Where it listens.</param>
    /// <param name="configure">Registers handlers before the server can say anything.</param>
    /// <param name="options">How to behave.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <returns>The client, connected. The server has it among its peers: a broadcast there reaches it.</returns>
    /// <exception cref="TransportClosedException">Nobody listens there, or TLS fails.</exception>
    /// <exception cref="DiscoveryException">There is no such process, or it has no server of that name.</exception>
    /// <exception cref="HandshakeException">The server refused, or is none.</exception>
    /// <exception cref="InvalidOperationException">The options contradict each other, or the token is too short for the endpoint.</exception>
    public static async Task<MessageClient> ConnectAsync(
        MessageEndpoint endpoint,
        Action<MessageClient>? configure = null,
        MessageHostOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        options ??= new MessageHostOptions();
        options.Check();
        var dialer = new Dialer(endpoint, options);
        var (channel, token) = await dialer.DialUntilReachedAsync(cancellationToken).ConfigureAwait(false);
        MessageClient? client = null;
        try
        {
            client = new MessageClient(dialer, channel, token, options);
            configure?.Invoke(client);
            await client.StartAsync(cancellationToken).ConfigureAwait(false);
            return client;
        }
        catch
        {
            await ((IAsyncDisposable?)client ?? channel).DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Says goodbye to all peers, lets what was sent to them out for up to a second, and frees everything. Every call waits for that.</summary>
    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        lock (_disposed)
            return new ValueTask(_disposing ??= Task.Run(FreeAsync));
    }

    /// <summary>Returns that the host was disposed, as a sentence, or <c>null</c> if it was not.</summary>
    internal string? DescribeDisposal() => Volatile.Read(ref _disposing) is null ? null : this is MessageClient ? "The client was disposed." : "The server was disposed.";

    /// <inheritdoc cref="HostTimer.Tick(long)"/>
    internal void Tick(long now) => _timer.Tick(now);

    private protected virtual ValueTask StopListeningAsync() => default;

    /// <summary>A peer can be sent to from here on. Before anyone is told.</summary>
    internal virtual void NoteHandshake(Peer peer)
    {
    }

    /// <summary>Makes a connection a peer, now that it is authenticated.</summary>
    /// <returns>Why it may not be one, or <see langword="null"/> if it is one now.</returns>
    internal virtual DisconnectReason? TryAdmit(Peer peer) => null;

    /// <summary>Forgets a connection that has ended. Any number of times, from any thread.</summary>
    internal virtual void NoteEnd(Peer peer)
    {
    }

    private protected Peer MakePeer(TransportChannel channel) => new(this, channel, Interlocked.Increment(ref _lastId));

    private async Task FreeAsync()
    {
        try
        {
            await StopListeningAsync().ConfigureAwait(false);
        }
        finally
        {
            var goodbyes = new List<Task>();
            foreach (var (_, peer) in Registry.All)
                goodbyes.Add(peer.DisconnectAsync());
            await Task.WhenAll(goodbyes).ConfigureAwait(false);
            await _disposed.CancelAsync().ConfigureAwait(false);
            _timer.Dispose();
            Pumping?.Dispose();
        }
    }
}
