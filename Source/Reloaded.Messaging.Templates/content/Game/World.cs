using System.Collections.Concurrent;
using Reloaded.Messaging;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;

/// <summary>The server's world. The handlers and the update run in the tick, one after the other, so nothing here needs a lock.</summary>
public sealed class World : IAsyncDisposable
{
    private const float Size = 100;
    private const float Reach = 40; // a player sees creatures up to this distance
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(50);

    private readonly Dictionary<uint, Creature> _creatures = [];
    private readonly EntityChanges _changes = new();
    private readonly ConcurrentQueue<(Peer Peer, bool IsHere)> _comings = new();
    private readonly PeerState<Player> _players = new(static _ => new Player { View = new EntityView() });
    private MessageServer _server = null!;
    private TickLoop _loop = null!;
    private uint _lastCreature;

    public static async Task<World> StartAsync(MessageEndpoint endpoint)
    {
        var world = new World();
        world._server = await MessageHost.ListenAsync(endpoint, world.Register, Keys.ForServer() with { IsPumped = true });
        world._loop = new TickLoop(world.Update, new TickLoopOptions { Interval = s_interval, Host = world._server });
        world._loop.Failed += static exception => Console.Error.WriteLine(exception);
        world._loop.Start();
        return world;
    }

    /// <summary>The public key of the server, by which players know it.</summary>
    public string ServerKey => _server.Options.Protection!.ServerKey!;

    public override string ToString()
    {
        var ticks = _loop.GetStatistics();
        return $"{_server.Peers.Count} players, {_creatures.Count} creatures, tick {ticks.Ticks}, the longest one took {ticks.Worst.TotalMilliseconds:N1} ms";
    }

    public async ValueTask DisposeAsync()
    {
        await _loop.DisposeAsync();
        await _server.DisposeAsync();
        _changes.Dispose();
    }

    private void Register(MessageServer server)
    {
        server.AnnounceContract(Creature.Updates);
        server.Deliver(Creature.Updates, DeliveryMode.ReliableByType);
        server.Deliver<Said>(DeliveryMode.ReliableByType);

        // The lobby: a peer is no player until it has a name that nobody else has.
        _ = server.OnAuthenticate<Join, Joined>((join, from, _) => new ValueTask<Joined>(Enter(join, from)));
        _ = _players.On(server, static (in Steer steer, ref Player player) => player.Steer = steer);
        _ = server.On((Said said, Peer _) => server.Broadcast(said));

        // These events run on other threads, and only the tick may use the world.
        server.PeerConnected += peer => _comings.Enqueue((peer, true));
        server.PeerDisconnected += (peer, _) => _comings.Enqueue((peer, false));
        server.HandlerFailed += static failure => Console.Error.WriteLine(failure.Exception);
    }

    private Joined Enter(Join join, Peer from)
    {
        if (join.Name.Length is 0 or > 20)
            throw new RequestFaultException(1000, $"The name '{join.Name}' has {join.Name.Length} characters; a name has 1 to 20.");
        foreach (var peer in _server.AllPeers) // not _creatures, which a player enters with the next update
        {
            if (_players.Of(peer).Creature.Name == join.Name)
                throw new RequestFaultException(1001, $"The name '{join.Name}' is taken. Choose another one.");
        }

        ref var player = ref _players.Of(from);
        (player.Id, player.Creature) = (++_lastCreature, new Creature { Name = join.Name });
        return new Joined(player.Id);
    }

    private void Update(in Tick tick)
    {
        while (_comings.TryDequeue(out var coming))
        {
            var player = _players.Of(coming.Peer);
            if (coming.IsHere)
                _creatures.Add(player.Id, player.Creature);
            else
                _creatures.Remove(player.Id);
        }

        var seconds = (float)tick.Interval.TotalSeconds;
        foreach (var peer in _server.AllPeers)
        {
            ref var player = ref _players.Of(peer);
            player.Creature.MoveTo(Math.Clamp(player.Creature.X + player.Steer.X * seconds, -Size, Size), Math.Clamp(player.Creature.Y + player.Steer.Y * seconds, -Size, Size));
        }

        _changes.Clear();
        foreach (var (id, creature) in _creatures)
            _changes.Collect(id, creature);
        foreach (var peer in _server.AllPeers)
            SendWhatIsNear(peer);
    }

    private void SendWhatIsNear(Peer peer)
    {
        ref var player = ref _players.Of(peer);
        player.View.Begin(_changes);
        foreach (var (id, creature) in _creatures)
        {
            if (MathF.Abs(creature.X - player.Creature.X) <= Reach && MathF.Abs(creature.Y - player.Creature.Y) <= Reach)
                player.View.See(id, creature);
        }

        if (player.View.TryEnd(out var update) && peer.Send(Creature.Updates, update) is var status and not (SendStatus.Sent or SendStatus.Closed))
            _ = peer.KickAsync($"An update could not be sent to you: {status}.");
    }

    private struct Player
    {
        public uint Id;
        public Creature Creature;
        public Steer Steer;
        public EntityView View;
    }
}
