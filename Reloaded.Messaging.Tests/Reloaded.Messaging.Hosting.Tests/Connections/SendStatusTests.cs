using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>What a peer said in the handshake never makes a send throw.</summary>
public sealed class SendStatusTests
{
    private static readonly Note s_large = new(new string('x', 300));
    private static readonly MessageContract<Ping> s_old = new(70, new BlittableSerializer<Ping>(), version: 1);
    private static readonly MessageContract<Ping> s_new = new(70, new BlittableSerializer<Ping>(), version: 2);

    [Fact]
    public async Task Send_to_a_peer_with_a_smaller_limit_returns_TooLarge_and_is_counted()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), clientOptions: Limited(200));
        var peer = await hosts.Server.Connection().InTime();
        using var packed = new MessageWriter().Pack(MessageContract.GetDeclared<Note>(), in s_large);

        Assert.Equal(SendStatus.TooLarge, peer.Send(s_large));
        Assert.Equal(SendStatus.TooLarge, await peer.SendAsync(s_large).AsTask().InTime());
        Assert.Equal(SendStatus.TooLarge, peer.Send(packed));
        Assert.Equal(SendStatus.TooLarge, await peer.SendAsync(packed).AsTask().InTime());
        Assert.Equal(RequestStatus.TooLarge, (await peer.TryRequestAsync<Note, Pong>(s_large).AsTask().InTime()).Status);
        Assert.Equal(0, hosts.Server.Broadcast(s_large));

        Assert.Equal((6, 6, 6), (peer.GetCount(SendStatus.TooLarge), hosts.Server.GetCount(SendStatus.TooLarge), hosts.Server.GetStatistics().SendsTooLarge));
        Assert.Equal(SendStatus.Sent, peer.Send(new Ping(1)));
    }

    [Fact]
    public async Task Send_of_another_contract_than_the_peers_returns_ContractMismatch_and_is_counted()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), client: client => client.On(s_old, (in Ping _, Peer _) => { }));
        var peer = await hosts.Server.Connection().InTime();
        var pong = MessageContract.GetDeclared<Pong>();

        Assert.Equal(SendStatus.ContractMismatch, peer.Send(s_new, new Ping(1)));
        Assert.Equal(SendStatus.ContractMismatch, await peer.SendAsync(s_new, new Ping(1)).AsTask().InTime());
        var refusal = await Assert.ThrowsAsync<RequestFailedException>(() => peer.RequestAsync(s_new, pong, new Ping(1)).AsTask().InTime());
        Assert.Equal(0, hosts.Server.AllPeers.Broadcast(s_new, new Ping(1)));

        Assert.Equal(RequestStatus.ContractMismatch, refusal.Status);
        Assert.Equal(RequestStatus.ContractMismatch, (await peer.TryRequestAsync(s_new, pong, new Ping(1)).AsTask().InTime()).Status);
        Assert.Equal((5, 5, 5), (peer.GetCount(SendStatus.ContractMismatch), hosts.Server.GetCount(SendStatus.ContractMismatch), hosts.Server.GetStatistics().SendsMismatched));
    }

    [Fact]
    public async Task Send_in_a_loop_reaches_the_peers_behind_one_that_refuses()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        var received = Signal.New<Note>();
        await using var small = await MessageHost.ConnectAsync(server.Endpoint, options: Limited(128));
        await server.Connection().InTime();
        await using var last = await MessageHost.ConnectAsync(server.Endpoint, client => client.On((in Note note, Peer _) => received.SetResult(note)));
        await Signal.UntilAsync(() => server.AllPeers.Count == 2);
        var statuses = new List<SendStatus>();

        foreach (var peer in server.AllPeers)
            statuses.Add(peer.Send(s_large));

        Assert.Equal([SendStatus.TooLarge, SendStatus.Sent], statuses);
        Assert.Equal(s_large, await received.Task.InTime());
    }

    [Fact]
    public async Task Send_to_a_peer_that_does_not_read_is_counted_as_Full()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: new MessageHostOptions { Limits = new HostLimits { MaxPendingBytes = 100_000 } });
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await server.Connection().InTime();
        await peer.FillAsync(new Note(new string('x', 10_000)));
        var before = peer.GetCount(SendStatus.Full);

        Assert.Equal(SendStatus.Full, peer.Send(new Note(new string('x', 50_000))));
        Assert.Equal(RequestStatus.Full, (await peer.TryRequestAsync<Note, Pong>(new Note(new string('x', 50_000))).AsTask().InTime()).Status);
        Assert.Equal(0, server.Broadcast(new Note(new string('x', 50_000))));

        Assert.True(before > 0);
        Assert.Equal((before + 3, before + 3, before + 3), (peer.GetCount(SendStatus.Full), server.GetCount(SendStatus.Full), server.GetStatistics().SendsFull));
    }

    [Fact]
    public async Task Send_to_a_peer_that_is_gone_is_counted_as_Closed()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), clientOptions: Limited(200));
        var peer = await hosts.Server.Connection().InTime();
        await peer.DisconnectAsync().InTime();

        Assert.Equal(SendStatus.Closed, peer.Send(new Ping(1)));
        Assert.Equal(SendStatus.Closed, peer.Send(s_large));
        Assert.Equal(SendStatus.Closed, await peer.SendAsync(new Ping(1)).AsTask().InTime());

        Assert.Equal((3, 3, 3), (peer.GetCount(SendStatus.Closed), hosts.Server.GetCount(SendStatus.Closed), hosts.Server.GetStatistics().SendsClosed));
        Assert.Equal((0, 0), (peer.GetCount(SendStatus.Sent), hosts.Server.GetCount(SendStatus.Sent)));
    }

    [Fact]
    public async Task Send_above_the_hosts_own_limit_throws()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), serverOptions: Limited(200));
        var peer = await hosts.Server.Connection().InTime();

        Assert.Throws<MessageTooLargeException>(() => peer.Send(s_large));
        await Assert.ThrowsAsync<MessageTooLargeException>(() => peer.TryRequestAsync<Note, Pong>(s_large).AsTask());
        Assert.Equal(0, peer.GetCount(SendStatus.TooLarge));
    }

    private static MessageHostOptions Limited(int size) => new() { MessageLimits = new MessageLimits { MaxMessageSize = size } };
}
