using System.Linq;
using System.Reflection;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

[Quiet]
public sealed class PeerGroupTests : IAsyncLifetime
{
    private readonly List<MessageClient> _clients = [];
    private readonly List<List<int>> _received = [];
    private MessageServer _server = null!;
    private Peer[] _peers = [];

    public async ValueTask InitializeAsync()
    {
        _server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        for (var i = 0; i < 4; i++)
        {
            var received = new List<int>();
            _received.Add(received);
            _clients.Add(await MessageHost.ConnectAsync(_server.Endpoint, client => client.On((in Ping ping, Peer _) => received.Add(ping.Number))));
            await Signal.UntilAsync(() => _server.Peers.Count == _clients.Count);
            _peers = [.. _server.Peers.OrderBy(peer => peer.Id)];
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var client in _clients)
            await client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task A_group_reaches_those_who_are_in_it_and_nobody_else()
    {
        var group = new PeerGroup(_server);
        Assert.True(group.Join(_peers[0]));
        Assert.True(group.Join(_peers[1]));
        Assert.True(group.Join(_peers[2]));
        Assert.False(group.Join(_peers[1]));

        Assert.Equal(3, group.Broadcast(new Ping(1)));
        Assert.True(group.Leave(_peers[0]));
        Assert.False(group.Leave(_peers[0]));
        Assert.Equal((false, true), (group.Contains(_peers[0]), group.Contains(_peers[2])));
        Assert.Equal(2, group.Broadcast(new Ping(2)));

        await ReceiveAllAsync();
        Assert.Equal([[1], [1, 2], [1, 2], []], _received);
    }

    [Fact]
    public async Task A_message_goes_to_those_whose_interest_it_is()
    {
        var group = All();
        var interest = new OddNumbers();

        Assert.Equal(2, group.Broadcast(new Ping(1), ref interest));

        Assert.Equal(4, interest.Asked);
        await ReceiveAllAsync();
        Assert.Equal(_peers.Select(peer => (int)(peer.Id % 2)), _received.Select(received => received.Count));
    }

    [Fact]
    public async Task Broadcast_whose_interest_throws_reaches_the_peers_before_the_exception()
    {
        var interest = new Failing { After = 2 };

        Assert.Throws<InvalidOperationException>(() => All().Broadcast(new Ping(7), ref interest));

        await Signal.UntilAsync(() => _received.Count(static received => received.Count == 1) == 2);
    }

    [Fact]
    public async Task A_peer_that_disconnects_leaves_by_itself_and_joins_no_more()
    {
        var group = All();
        var gone = _server.Disconnection();

        await _clients[1].DisposeAsync();
        await gone.InTime();

        Assert.Equal((3, false), (group.Count, group.Contains(_peers[1])));
        Assert.False(group.Join(_peers[1]));
        Assert.Equal(3, group.Count);
        Assert.Equal(3, group.Broadcast(new Ping(1)));
    }

    [Fact]
    public void Peers_may_come_and_go_while_a_group_is_gone_through()
    {
        var group = All();
        group.Leave(_peers[3]);
        var seen = new List<Peer>();

        foreach (var peer in group)
        {
            seen.Add(peer);
            foreach (var other in _peers)
                group.Leave(other);
            group.Join(_peers[3]);
        }

        Assert.Equal(_peers[..3], seen.OrderBy(peer => peer.Id));
        Assert.Equal([_peers[3]], Members(group));
    }

    [Fact]
    public async Task Joins_and_leaves_of_many_threads_come_out_even()
    {
        var group = new PeerGroup(_server);
        var tasks = Enumerable.Range(0, 4).Select(i => Deadline.RunAside(() =>
        {
            for (var round = 0; round < 2000; round++)
            {
                group.Join(_peers[i]);
                foreach (var peer in group)
                    Assert.NotNull(peer);
                group.Leave(_peers[i]);
            }

            group.Join(_peers[i]);
        }));

        await Task.WhenAll(tasks).InTime();

        Assert.Equal(_peers, Members(group).OrderBy(peer => peer.Id));
    }

    [Fact]
    public void Peer_that_leaves_copies_the_list_only_while_the_group_is_read()
    {
        var group = All();
        var list = ListOf(group);
        group.Broadcast(new Ping(1));

        Assert.True(group.Leave(_peers[0]));
        Assert.Same(list, ListOf(group));
        foreach (var peer in group)
            Assert.True(group.Leave(peer));
        Assert.NotSame(list, ListOf(group));
    }

    [Fact]
    public void A_broadcast_allocates_nothing()
    {
        var group = All();
        var nobody = default(Nobody);

        Assert.Equal(0, Allocation.OfThousand(() => group.Broadcast(new Ping(1), ref nobody)));
    }

    [Fact]
    public async Task A_peer_of_another_host_is_refused()
    {
        await using var other = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));

        Assert.Throws<ArgumentException>(() => new PeerGroup(other).Join(_peers[0]));
    }

    private static object ListOf(PeerGroup group) => typeof(PeerGroup).GetField("_peers", BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(group)!;

    private static List<Peer> Members(PeerGroup group)
    {
        var members = new List<Peer>();
        foreach (var peer in group)
            members.Add(peer);
        return members;
    }

    private PeerGroup All()
    {
        var group = new PeerGroup(_server);
        foreach (var peer in _peers)
            group.Join(peer);
        return group;
    }

    /// <summary>Once a request is answered, everything that was sent before it has come.</summary>
    private async Task ReceiveAllAsync()
    {
        foreach (var client in _clients)
            await client.RequestAsync<Ping, Pong>(new Ping(0)).AsTask().InTime();
    }

    private struct OddNumbers : IPeerInterest
    {
        public int Asked { get; private set; }

        public bool Includes(Peer peer)
        {
            Asked++;
            return peer.Id % 2 == 1;
        }
    }

    private struct Failing : IPeerInterest
    {
        public int After { get; set; }

        public bool Includes(Peer peer) => After-- > 0 ? true : throw new InvalidOperationException("no interest");
    }

    private readonly struct Nobody : IPeerInterest
    {
        public bool Includes(Peer peer) => false;
    }
}
