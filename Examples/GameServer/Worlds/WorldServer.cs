using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;

namespace GameServer.Worlds;

/// <summary>Serves a world. 60 times a second, it handles the messages of players, updates the world, and sends each player the changes that the player sees.</summary>
/// <remarks>
/// An update contains only the changes since the previous update, so every update must arrive, in order. A player who receives more slowly than the world
/// changes gets fewer updates, and the next one then has everything that the player sees.
/// </remarks>
public sealed class WorldServer : IAsyncDisposable
{
    public static readonly MessageContract<EntityUpdate> Updates = EntityUpdate.CreateContract(95);

    /// <summary>The number of waiting bytes from which a player is sent no update.</summary>
    private const int MostWaiting = 8 << 10;

    private readonly World _world;
    private readonly EntityChanges _changes = new();
    private readonly MessageWriter _writer = new();
    private readonly ConcurrentQueue<(Peer Peer, bool IsHere)> _comings = new();
    private readonly PeerState<Player> _players = new(static _ => new Player { View = new EntityView() });
    private MessageServer _host = null!;
    private TickLoop _loop = null!;
    private long _received;
    private long _sent;
    private long _skipped;
    private long _sentBytes;

    private WorldServer(int creatures) => _world = new World(creatures);

    public MessageServer Host => _host;

    /// <summary>The durations of ticks. A tick handles received messages, updates the world, and writes the updates.</summary>
    public TickTimes Times { get; } = new();

    /// <summary>The first exception of a tick, or <c>null</c>.</summary>
    public Exception? Failure { get; private set; }

    /// <param name="endpoint">An endpoint whose messages arrive reliably and in order.</param>
    /// <param name="creatures">The number of creatures without a player.</param>
    /// <param name="token">The token of the players.</param>
    /// <param name="protection">The protection with the key of the server.</param>
    /// <param name="silence">The time after which a silent player is disconnected.</param>
    /// <param name="playersPerAddress">The maximum number of players from one address of another machine.</param>
    public static async Task<WorldServer> StartAsync(MessageEndpoint endpoint, int creatures, ReadOnlyMemory<byte> token, ProtectionOptions protection, TimeSpan silence, int playersPerAddress = 256)
    {
        var server = new WorldServer(creatures);
        server._host = await MessageHost.ListenAsync(endpoint, server.Register, new MessageHostOptions
        {
            Token = token,
            Protection = protection,
            IsPumped = true,
            KeepAliveTimeout = silence,
            Limits = new HostLimits
            {
                MaxPeersPerAddress = playersPerAddress,
                MaxPendingBytes = 64 << 10,
                MessagesPerSecond = 100,
                BytesPerSecond = 8 << 10,
                OverflowAction = OverflowAction.Drop,
            },
        });
        server._loop = new TickLoop(server.Update, new TickLoopOptions { Host = server._host });
        server._loop.Failed += e => server.Failure ??= e;
        server._loop.Start();
        return server;
    }

    public WorldCounts GetCounts() => new(
        _host.AllPeers.Count,
        _loop.GetStatistics().Ticks,
        Volatile.Read(ref _received),
        Volatile.Read(ref _sent),
        Volatile.Read(ref _skipped),
        Volatile.Read(ref _sentBytes));

    public TickStatistics GetTicks() => _loop.GetStatistics();

    /// <summary>Stops the ticks, and sends the last state to the players that have missed changes. Players stay connected.</summary>
    public async Task StopAsync()
    {
        await _loop.StopAsync();
        _changes.Clear();
        for (var isBehind = true; isBehind; await Task.Delay(20))
        {
            isBehind = false;
            foreach (var peer in _host.AllPeers)
            {
                ref var player = ref _players.Of(peer);
                if (player.IsBehind)
                    Tell(peer, ref player);
                isBehind |= player.IsBehind;
            }
        }
    }

    /// <summary>Returns the sum of the fingerprints of the creatures that a player sees. Call it only after the ticks have ended.</summary>
    public ulong GetFingerprint(uint playerId)
    {
        var sum = 0UL;
        if (_world.Find(playerId) is not { } player)
            return sum;
        foreach (var creature in _world.Creatures)
            sum += creature.IsNear(player, World.Sight) ? creature.Fingerprint : 0;
        return sum;
    }

    public async ValueTask DisposeAsync()
    {
        await _loop.DisposeAsync();
        await _host.DisposeAsync();
        _changes.Dispose();
    }

    private void Register(MessageServer server)
    {
        // Over UDP. Over other transports, every event arrives, in order.
        server.Deliver(Updates, DeliveryMode.ReliableByType);
        server.Deliver<Heard>(DeliveryMode.ReliableByType);
        server.AnnounceContract(Updates); // the contract has no handler here; a client with another version is refused when it connects
        _ = server.OnAuthenticate<Enter, Welcome>((enter, from, _) => new ValueTask<Welcome>(Admit(enter, from)));
        _ = _players.On(server, (in Move move, ref Player player) =>
        {
            _received++;
            player.Creature!.Step = World.StepTo(move.X, move.Y);
        });
        _ = server.OnRequest((Shout shout, Peer from) =>
        {
            _received++;
            var speaker = _players.Of(from).Creature!;
            var earshot = new Earshot(speaker, _players);
            _sent += _host.AllPeers.Broadcast(new Heard(speaker.Id, shout.Text), ref earshot);
        });

        // These events run on other threads, but only the tick may use the world.
        server.PeerConnected += peer => _comings.Enqueue((peer, true));
        server.PeerDisconnected += (peer, _) => _comings.Enqueue((peer, false));
    }

    private Welcome Admit(Enter enter, Peer from)
    {
        if (enter.Name.Length is 0 or > 16)
            throw new RequestFaultException(1000, $"The name '{enter.Name}' has {enter.Name.Length} characters; a name must have 1 to 16.");
        foreach (var peer in _host.AllPeers)
        {
            if (_players.Of(peer).Name == enter.Name)
                throw new RequestFaultException(1001, $"The name '{enter.Name}' is already in use. Choose another name.");
        }

        ref var player = ref _players.Of(from);
        (player.Name, player.Creature) = (enter.Name, _world.Create());
        return new Welcome(player.Creature.Id);
    }

    private void Update(in Tick tick)
    {
        if (tick.Number > 1)
            Times.Note(_loop.GetStatistics().Last); // the previous tick, whose duration is complete now
        while (_comings.TryDequeue(out var coming))
        {
            var creature = _players.Of(coming.Peer).Creature!;
            if (coming.IsHere)
                _world.Add(creature);
            else
                _world.Remove(creature.Id);
        }

        _world.Tick(tick.Number);
        _changes.Clear();
        foreach (var creature in _world.Creatures)
            _changes.Collect(creature.Id, creature);
        foreach (var peer in _host.AllPeers)
            Tell(peer, ref _players.Of(peer));
    }

    private void Tell(Peer peer, ref Player player)
    {
        var self = player.Creature!;
        if (_world.Find(self.Id) is null)
            return; // the player enters in the next tick
        player.View.Begin(_changes);
        player.IsBehind = peer.GetStatistics().PendingBytes > MostWaiting;
        if (player.IsBehind)
        {
            _skipped++; // the view was not ended, so the next update has all creatures with all fields
            return;
        }

        foreach (var creature in _world.Creatures)
        {
            if (creature.IsNear(self, World.Sight))
                player.View.See(creature.Id, creature);
        }

        if (!player.View.TryEnd(out var update))
            return;
        using var packed = _writer.Pack(Updates, update);
        switch (peer.Send(packed))
        {
            case SendStatus.Sent:
                _sent++;
                _sentBytes += packed.Length;
                break;
            case SendStatus.Closed:
                break; // the peer leaves the group soon
            case var status:
                _ = peer.KickAsync($"An update of {packed.Length} bytes could not be sent to you: {status}.");
                break;
        }
    }
}
