using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Contexts;

public sealed class PeerContextsTests
{
    [Fact]
    public async Task Handlers_get_and_change_their_own_peer_s_context()
    {
        PeerContexts<Player>? players = null;
        var notes = new Notes();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server =>
        {
            players = server.AddContext(peer => new Player { Peer = peer });
            players.On((in Pong pong, ref Player player) => player.Score += pong.Number);
            players.On(notes);
            players.OnRequest((in Ping ping, ref Player player) => new Pong(player.Score += ping.Number));
        });
        await using var one = await MessageHost.ConnectAsync(server.Endpoint);
        await using var two = await MessageHost.ConnectAsync(server.Endpoint);

        one.Send(new Pong(5));
        one.Send(new Note("from one"));
        two.Send(new Pong(7));
        Assert.Equal(new Pong(16), await one.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
        Assert.Equal(new Pong(8), await two.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());

        Assert.Equal(["from one"], notes.Texts);
        Assert.Equal([8, 16], server.Peers.Select(peer => players!.Of(peer).Score).Order());
        Assert.All(server.Peers, peer => Assert.Same(peer, players!.Of(peer).Peer));
    }

    [Fact]
    public async Task A_host_has_one_context_and_only_for_its_own_peers()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        await using var other = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        var scores = other.AddContext(_ => 1);

        Assert.Throws<InvalidOperationException>(() => other.AddContext(_ => 1));
        Assert.Throws<ArgumentException>(() => scores.Of(client.Server));
    }

    [Fact]
    public async Task Context_whose_creation_waits_for_another_thread_that_uses_it_is_created()
    {
        PeerContexts<Player>? players = null;
        var (created, other) = (0, 0);
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        players = server.AddContext(peer =>
        {
            var player = new Player { Peer = peer, Score = Interlocked.Increment(ref created) };
            if (player.Score != 1)
                return player;
            var thread = new Thread(() => other = players!.Of(peer).Score);
            thread.Start();
            Assert.True(thread.Join(Deadline.Length));
            return player;
        });
        var connection = server.Connection();
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        var peer = await connection.InTime();

        var kept = await Deadline.RunAside(() => players.Of(peer).Score).InTime();

        Assert.Equal((2, 2), (other, kept));
    }

    [Fact]
    public async Task A_peer_joins_a_group_while_its_context_is_made()
    {
        Task<bool>? joining = null;
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        var room = new PeerGroup(server);
        var players = server.AddContext(peer =>
        {
            joining = Deadline.RunAside(() => room.Join(peer)); // as another thread does that holds a lock which this one wants
            using var joined = new ManualResetEventSlim();
            joining.ContinueWith(_ => joined.Set(), TaskScheduler.Default);
            joined.WaitInTime();
            return new Player();
        });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        var peer = await server.Connection().InTime();

        await Deadline.RunAside(() => players.Of(peer).Score++).InTime();

        Assert.True(await joining!);
    }

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
