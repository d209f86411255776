using System;
using System.Collections.Concurrent;
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
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(50);

    /// <summary>Goodbyes to those who may not come in that may be under way. What they wait for is bounded in time, and so in all.</summary>
    private const int MaxRefusals = 64;

    private readonly ConcurrentDictionary<long, Peer> _peers = new();
    private readonly CancellationTokenSource _disposed = new();
    private readonly PeriodicTimer _timer = new(s_tick);
    private long _lastId;
    private long _nextPing = Environment.TickCount64;
    private int _refusals;
    private Task? _disposing;

    private protected MessageHost(MessageHostOptions options, LengthPrefix prefix, TransportContext context)
    {
        Options = options;
        Resources = new HostResources(options, prefix);
        Datagrams = context.Datagrams;
        Datagrams.Failed += ReportDatagramFailure;
        Handlers = new HandlerTable<Peer, MessageContext>(Options.Limits.Messages);
        Dispatcher = Handlers.Dispatcher;
        AllPeers = new PeerGroup(this);
        _pump = Options.IsPumped ? new PumpQueue(this, Options.PumpCapacity, Options.PumpBytes) : null;
        _pumpWatch = _pump is null ? null : new PumpWatch(_pump, Options.RequestTimeout, RaisePumpStalled);
        _ = TickAsync();
    }

    /// <summary>A peer shook hands and can be sent to. On the thread that receives from it; return soon.</summary>
    public event Action<Peer>? PeerConnected;

    /// <summary>A peer is gone, and why. Raised once for each peer that was connected, after its <see cref="PeerConnected"/> has returned.</summary>
    /// <remarks>Any thread, but never the one that ends overdue requests and sends keep-alives: a handler that waits delays nobody else.</remarks>
    public event Action<Peer, DisconnectReason>? PeerDisconnected;

    /// <summary>A handler threw. Its peer goes on; a requester got a fault.</summary>
    public event Action<HandlerFailure>? HandlerFailed;

    /// <summary>Raised when the handling of a UDP datagram threw an exception. The datagram was dropped and counted: <see cref="DatagramDropReason.Failed"/>. The host continues with the next one.</summary>
    /// <remarks>Raised on the thread that receives. Return soon.</remarks>
    public event Action<Exception>? DatagramFailed;

    /// <summary>A peer knows a type by another contract: its id, and what the first difference is.</summary>
    public event Action<Peer, ContractMismatch>? ContractMismatched;

    /// <summary>How the host behaves.</summary>
    public MessageHostOptions Options { get; }

    /// <summary>The peers that shook hands, as of now.</summary>
    public IReadOnlyCollection<Peer> Peers => (IReadOnlyCollection<Peer>)_connected.Values;

    /// <summary>What all connections share.</summary>
    internal HostResources Resources { get; }

    internal RequestCounters RequestCounters { get; } = new();

    private protected HostCounters Counters => Resources.Counters;

    /// <summary>The peers that shook hands, as a group: to go through and to send to without allocating. Peers join and leave it by themselves.</summary>
    public PeerGroup AllPeers { get; }

    /// <summary>What the other side has to know: the options' token, or that of a server which was found by its process.</summary>
    internal virtual ReadOnlyMemory<byte> Token => Options.Token;

    internal CancellationToken DisposedToken => _disposed.Token;

    /// <summary>Sends an event to every peer: packed once. By its type's declared contract.</summary>
    /// <param name="message">The message.</param>
    /// <returns>To how many it was sent; those whose outbox was full did not get it.</returns>
    /// <exception cref="MessageTooLargeException">It exceeds a limit.</exception>
    public int Broadcast<T>(in T message) => AllPeers.Broadcast(in message);

    /// <summary>Sends an event to some peers: packed once.</summary>
    /// <param name="contract">What the message is on the wire.</param>
    /// <param name="message">The message.</param>
    /// <param name="peers">To whom.</param>
    /// <returns>To how many it was sent. Those whose outbox was full did not get it, nor those that take no messages of its size or know its type by another contract.</returns>
    /// <exception cref="MessageTooLargeException">It exceeds a limit of this host.</exception>
    public int Broadcast<T>(MessageContract<T> contract, in T message, IEnumerable<Peer> peers)
    {
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(peers);
        using var packed = Resources.Writer.Pack(contract, in message);
        var sent = 0;
        foreach (var peer in peers)
            sent += peer.TrySend(contract, packed) ? 1 : 0;
        return sent;
    }

    /// <summary>Says goodbye to all peers, lets what was sent to them out for up to a second, and frees everything. Every call waits for that.</summary>
    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        lock (_contracts)
            return new ValueTask(_disposing ??= Task.Run(FreeAsync));
    }

    private protected virtual ValueTask StopListeningAsync() => default;

    /// <summary>Whether a peer is ended when a write to it makes no progress. A client waits for the one server that it chose.</summary>
    private protected virtual bool EndsPeersThatDoNotRead => false;

    /// <summary>Returns that the host was disposed, as a sentence, or <c>null</c> if it was not.</summary>
    internal string? DescribeDisposal() => Volatile.Read(ref _disposing) is null ? null : this is MessageClient ? "The client was disposed." : "The server was disposed.";

    /// <summary>Runs a peer from its first byte to its last. Never throws: whatever happens ends the peer, with a reason.</summary>
    private protected async Task<DisconnectReason?> StartPeerAsync(Peer peer)
    {
        var connection = peer.Connection;
        DisconnectReason? refused;
        try
        {
            refused = connection.IsForeign ? null : await connection.ShakeHandsAsync(new Handshake(Options, this is MessageServer, Token, GetContractsFor(peer))).ConfigureAwait(false);
            if (refused is null && !connection.NeedsLogin && TryAdmit(peer) is { } full)
            {
                await connection.CloseAsync(full, awaitsEnd: false).ConfigureAwait(false);
                refused = full;
            }
        }
        catch (Exception e)
        {
            ReportFailure(peer, 0, e);
            refused = DisconnectReason.NotAPeer;
        }

        if (refused is { } reason)
        {
            connection.End(reason);
            connection.Reader.Dispose();
            return connection.EndReason;
        }

        connection.Reader.MaxMessageSize = Resources.Limits.MaxMessageSize;
        connection.Reader.MaxControlSize = connection.IsForeign ? 0 : HelloMessage.MaxSize;
        NoteHandshake(peer);
        if (connection.NeedsLogin)
        {
            connection.Accept(ConnectionState.Authenticating, isServer: this is MessageServer);
            connection.Login.Begin(Options.TimeProvider);
        }
        else
        {
            Announce(peer);
        }

        _ = new ReceiveLoop(this, peer).RunAsync();
        return null;
    }

    /// <summary>A peer can be sent to from here on. Before anyone is told.</summary>
    private protected virtual void NoteHandshake(Peer peer)
    {
    }

    /// <summary>Makes a connection a peer, now that it is authenticated.</summary>
    /// <returns>Why it may not be one, or <see langword="null"/> if it is one now.</returns>
    private protected virtual DisconnectReason? TryAdmit(Peer peer) => null;

    /// <summary>Forgets a connection that has ended. Any number of times, from any thread.</summary>
    private protected virtual void NoteEnd(Peer peer)
    {
    }

    private protected Peer AddPeer(TransportChannel channel) => AddPeer(MakePeer(channel));

    private protected Peer AddPeer(Peer peer) => _peers[peer.Id] = peer;

    /// <summary>Refuses a connection, and says why.</summary>
    private protected async Task RefuseAsync(TransportChannel channel, DisconnectReason reason)
    {
        var peer = MakePeer(channel);
        try
        {
            await RefuseAsync(peer.Connection, reason).ConfigureAwait(false);
        }
        finally
        {
            peer.Connection.Reader.Dispose();
        }
    }

    /// <summary>Disconnects a connection that is not authenticated, and says why. When too many such goodbyes are under way, it is cut off without one.</summary>
    private protected async Task RefuseAsync(Connection connection, DisconnectReason reason)
    {
        try
        {
            if (Interlocked.Increment(ref _refusals) <= MaxRefusals)
            {
                await connection.CloseAsync(reason, awaitsEnd: false).ConfigureAwait(false);
                await connection.Freed.ConfigureAwait(false); // its socket waits for the other end, and is counted until then
            }
            else
            {
                connection.End(reason);
            }
        }
        finally
        {
            Interlocked.Decrement(ref _refusals);
        }
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
            foreach (var (_, peer) in _peers)
                goodbyes.Add(peer.DisconnectAsync());
            await Task.WhenAll(goodbyes).ConfigureAwait(false);
            await _disposed.CancelAsync().ConfigureAwait(false);
            _timer.Dispose();
            _pump?.Dispose();
        }
    }

    private async Task TickAsync()
    {
        while (await _timer.WaitForNextTickAsync().ConfigureAwait(false))
            Tick(Environment.TickCount64);
    }

    /// <summary>Does what is due: timeouts, pings, and the ends of peers. Runs no code of the program except its <see cref="MessageHostOptions.TimeProvider"/>.</summary>
    /// <remarks>An exception of one peer's turn is counted and reported. The other peers and the next ticks go on.</remarks>
    /// <param name="now">The time, in <c>Environment.TickCount64</c>.</param>
    internal void Tick(long now)
    {
        Resources.Clock.Tick(now);
        _pumpWatch?.Check(Resources.Clock.Now);
        var pings = now >= _nextPing;
        if (pings)
            _nextPing = now + (long)Options.PingInterval.TotalMilliseconds;
        var longest = Options.KeepAliveTimeout.TotalMilliseconds;
        foreach (var (_, peer) in _peers)
        {
            try
            {
                Tick(peer, now, longest, pings);
            }
            catch (Exception e)
            {
                _ = Task.Run(() => ReportFailure(peer, 0, e)); // a listener that waits must not stop the timer
            }
        }
    }

    private void Tick(Peer peer, long now, double longest, bool pings)
    {
        var connection = peer.Connection;
        connection.Outbox.FlushHeld();
        peer.Requests.EndOverdue(now);
        if (EndsPeersThatDoNotRead && connection.KeepAlive.IsNotReading(Resources.Clock.Now, longest))
            connection.EndAside(DisconnectReason.NotReading);
        else if (!connection.IsForeign && connection.KeepAlive.IsSilent(Resources.Clock, longest)) // a foreign peer can't be asked whether it is there
            connection.EndAside(DisconnectReason.NotResponding);
        else if (!connection.IsForeign && pings && _connected.ContainsKey(peer.Id))
            connection.Ping();
        CheckSession(peer); // last: the program's clock may throw
    }
}
