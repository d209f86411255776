using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Peers;

/// <summary>A peer has one value of each <see cref="PeerState{T}"/>.</summary>
public sealed class PeerStateTests
{
    private static int s_names;

    [Fact]
    public async Task Handlers_get_and_change_the_value_of_their_peer()
    {
        var players = new PeerState<Player>(static peer => new Player { Peer = peer });
        var notes = new Notes();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server =>
        {
            players.On(server, (in Pong pong, ref Player player) => player.Score += pong.Number);
            players.On<Note>(server, notes.Handle);
            players.OnRequest(server, (in Ping ping, ref Player player) => new Pong(player.Score += ping.Number));
            server.PeerConnected += peer => players.Of(peer).Score += 100;
        });
        await using var one = await MessageHost.ConnectAsync(server.Endpoint);
        await using var two = await MessageHost.ConnectAsync(server.Endpoint);

        one.Send(new Pong(5));
        one.Send(new Note("from one"));
        two.Send(new Pong(7));
        Assert.Equal(new Pong(116), await one.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
        Assert.Equal(new Pong(108), await two.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());

        Assert.Equal(["from one"], notes.Texts);
        Assert.Equal([108, 116], server.Peers.Select(peer => players.Of(peer).Score).OrderBy(static score => score));
        Assert.All(server.Peers, peer => Assert.Same(peer, players.Of(peer).Peer));
    }

    /// <summary>Random uses of peers of two hosts and of states of several types, beside a model.</summary>
    [Fact]
    public async Task Values_of_states_and_peers_do_not_mix()
    {
        await using var one = await HostPair.ConnectAsync(NewEndpoint());
        await using var two = await HostPair.ConnectAsync(NewEndpoint());
        Peer[] peers = [one.Client.Server, two.Client.Server, await one.Server.Connection().InTime(), await two.Server.Connection().InTime()];
        var random = new Random(1);
        for (var round = 0; round < 20; round++)
        {
            var numbers = Enumerable.Range(0, 5).Select(static i => new PeerState<int>(peer => InitialValue(i, peer))).ToList();
            var texts = Enumerable.Range(0, 5).Select(static i => new PeerState<string?>(peer => i == 0 ? null : $"{InitialValue(i, peer)}")).ToList();
            var model = new Dictionary<(object State, Peer Peer), object?>();
            for (var step = 0; step < 200; step++)
            {
                var (i, peer) = (random.Next(5), peers[random.Next(peers.Length)]);
                if (random.Next(2) == 0)
                    Use(numbers[i], peer, InitialValue(i, peer), step);
                else
                    Use(texts[i], peer, i == 0 ? null : $"{InitialValue(i, peer)}", $"{step}");
            }

            void Use<T>(PeerState<T> state, Peer peer, T initial, T next)
            {
                Assert.Equal(model.TryGetValue((state, peer), out var value) ? (T)value! : initial, state.Of(peer));
                if (random.Next(2) == 0)
                    model[(state, peer)] = state.Of(peer) = next;
            }
        }

        static int InitialValue(int state, Peer peer) => (int)((state * 1000) + peer.Id);
    }

    [Fact]
    public async Task All_threads_get_the_same_value()
    {
        const int Threads = 4;
        const int States = 3;
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint());
        var peer = hosts.Client.Server;
        for (var round = 0; round < 300; round++)
        {
            var states = Enumerable.Range(0, States).Select(static _ => new PeerState<object>(static _ =>
            {
                Thread.Yield();
                return new object();
            })).ToList();
            var got = new object[Threads][];
            using var start = new Barrier(Threads);
            await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Task.Factory.StartNew(
                () =>
                {
                    start.SignalAndWait();
                    var values = new object[States];
                    for (var i = 0; i < States; i++)
                    {
                        var state = (i + thread) % States;
                        values[state] = states[state].Of(peer);
                    }

                    got[thread] = values;
                },
                CancellationToken.None,
                TaskCreationOptions.LongRunning,
                TaskScheduler.Default))).InTime();

            for (var i = 0; i < States; i++)
                Assert.All(got, values => Assert.Same(states[i].Of(peer), values[i]));
            Assert.Equal(States, got[0].Distinct().Count());
        }
    }

    [Fact]
    public async Task Value_of_a_peer_that_has_disconnected_is_used_as_before()
    {
        var (early, late) = (new PeerState<string>(static _ => "initial"), new PeerState<long>(static peer => peer.Id));
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint());
        var peer = await hosts.Server.Connection().InTime();
        early.Of(peer) = "changed";
        var gone = hosts.Server.Disconnection();

        await hosts.Client.DisposeAsync();
        await gone.InTime();

        Assert.Equal(("changed", peer.Id), (early.Of(peer), late.Of(peer)));
        early.Of(peer) = "changed again";
        Assert.Equal("changed again", early.Of(peer));
    }

    [Fact]
    public async Task Value_whose_creation_failed_is_created_at_the_next_use()
    {
        var calls = 0;
        var state = new PeerState<int>(_ => ++calls == 1 ? throw new InvalidOperationException("The first call fails.") : calls);
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint());

        Assert.Throws<InvalidOperationException>(() => state.Of(hosts.Client.Server));

        Assert.Equal(2, state.Of(hosts.Client.Server));
        Assert.Equal(2, state.Of(hosts.Client.Server));
    }

    [Fact]
    public async Task Value_is_created_from_the_value_of_another_state()
    {
        var names = new PeerState<string>(static peer => $"peer {peer.Id}");
        var texts = new PeerState<string>(peer => $"Hello, {names.Of(peer)}.");
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint());
        var peer = hosts.Client.Server;

        Assert.Equal($"Hello, peer {peer.Id}.", texts.Of(peer));
        Assert.Equal($"peer {peer.Id}", names.Of(peer));
    }

    [Fact]
    public async Task Value_whose_creation_waits_for_another_thread_that_uses_it_is_created()
    {
        PeerState<Player>? players = null;
        var (created, other) = (0, 0);
        players = new PeerState<Player>(peer =>
        {
            var player = new Player { Peer = peer, Score = Interlocked.Increment(ref created) };
            if (player.Score != 1)
                return player;
            var thread = new Thread(() => other = players!.Of(peer).Score);
            thread.Start();
            Assert.True(thread.Join(Deadline.Length));
            return player;
        });
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint());

        var kept = await Deadline.RunAside(() => players.Of(hosts.Client.Server).Score).InTime();

        Assert.Equal((2, 2), (other, kept));
    }

    [Fact]
    public async Task A_peer_joins_a_group_while_its_value_is_created()
    {
        Task<bool>? joining = null;
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint());
        var room = new PeerGroup(hosts.Server);
        var players = new PeerState<Player>(peer =>
        {
            joining = Deadline.RunAside(() => room.Join(peer)); // as another thread does that holds a lock which this one wants
            using var joined = new ManualResetEventSlim();
            joining.ContinueWith(_ => joined.Set(), TaskScheduler.Default);
            joined.WaitInTime();
            return new Player();
        });
        var peer = await hosts.Server.Connection().InTime();

        await Deadline.RunAside(() => players.Of(peer).Score++).InTime();

        Assert.True(await joining!);
    }

    private static MessageEndpoint NewEndpoint() => MessageEndpoint.InProcess($"peer-state-{Interlocked.Increment(ref s_names)}");

    private struct Player
    {
        public int Score;

        public Peer Peer;
    }

    private sealed class Notes : IMessageHandler<Note, Player>
    {
        public List<string> Texts { get; } = [];

        public void Handle(in Note message, ref Player state)
        {
            Texts.Add(message.Text);
            state.Score += 10;
        }
    }
}
