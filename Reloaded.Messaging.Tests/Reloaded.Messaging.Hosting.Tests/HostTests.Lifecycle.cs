using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <content>Connecting, and parting.</content>
public abstract partial class HostTests
{
    [Fact]
    public async Task What_the_other_side_would_refuse_for_its_size_is_not_sent()
    {
        var small = new MessageHostOptions { MessageLimits = new MessageLimits { MaxMessageSize = 200 } };
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server => server.OnRequest((Ping ping) => new Note(new string('x', ping.Number))), clientOptions: small);
        var peer = await hosts.Server.Connection().InTime();
        var large = new Note(new string('x', 300));

        Assert.Equal(200, peer.MaxMessageSize);
        Assert.Equal(SendStatus.TooLarge, peer.Send(large));
        var refusal = await Assert.ThrowsAsync<RequestFailedException>(() => peer.RequestAsync<Note, Pong>(large).AsTask());
        Assert.Equal(RequestStatus.TooLarge, refusal.Status);
        Assert.Equal(0, hosts.Server.Broadcast(large));
        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.RequestAsync<Ping, Note>(new Ping(300)).AsTask().InTime());
        Assert.Equal(FaultCode.ReplyFailed, fault.Code);
        Assert.Equal(new string('x', 100), (await hosts.Client.RequestAsync<Ping, Note>(new Ping(100)).AsTask().InTime()).Text);
    }

    [Fact]
    public async Task What_is_sent_before_the_handshake_is_refused_and_harms_nothing()
    {
        await using var server = await MessageHost.ListenAsync(NewEndpoint(), server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        SendStatus? sent = null;
        Task<RequestResult<Pong>>? asking = null;
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, client =>
        {
            Assert.False(client.Server.IsConnected);
            sent = client.Send(new Ping(1));
            asking = client.TryRequestAsync<Ping, Pong>(new Ping(2)).AsTask();
        }).InTime();

        Assert.Equal((SendStatus.Closed, RequestStatus.NotSent), (sent, (await asking!.InTime()).Status));
        Assert.True(client.Server.IsConnected);
        Assert.Equal(new Pong(3), await client.RequestAsync<Ping, Pong>(new Ping(3)).AsTask().InTime());
    }

    [Fact]
    public async Task What_was_sent_before_a_dispose_arrives_in_order()
    {
        const int Count = 10_000;
        var received = new List<int>();
        await using var server = await MessageHost.ListenAsync(NewEndpoint(), server => server.On((in Ping ping, Peer from) =>
        {
            received.Add(ping.Number);
            from.Send(new Pong(ping.Number)); // so that something unread is there when the other side closes
        }));
        var gone = server.Disconnection();
        var client = await MessageHost.ConnectAsync(server.Endpoint);

        for (var i = 0; i < Count; i++)
            Assert.Equal(SendStatus.Sent, client.Send(new Ping(i)));
        await client.DisposeAsync();

        Assert.Equal(DisconnectReason.Goodbye, await gone.InTime());
        Assert.Equal(Enumerable.Range(0, Count), received);
    }

    [Fact]
    public async Task Each_side_hears_once_of_the_other_and_once_of_its_end()
    {
        await using var server = await MessageHost.ListenAsync(NewEndpoint());
        var (servers, gone) = (server.Diary(), server.Disconnection());
        var clients = new List<string>();
        var client = await MessageHost.ConnectAsync(server.Endpoint, client => clients = client.Diary());

        await client.DisposeAsync();
        await client.DisposeAsync();
        await gone.InTime();

        Assert.Equal(["1 connected", "1 Requested"], clients);
        Assert.Equal(["1 connected", "1 Goodbye"], servers);
        Assert.Equal((0, 0), (server.GetStatistics().Peers, client.GetStatistics().Peers));
        Assert.Equal(SendStatus.Closed, client.Send(new Ping(1)));
        Assert.Equal(SendStatus.Closed, await client.SendAsync(new Ping(1)));
        Assert.False(client.Server.IsConnected);
        Assert.Equal(DisconnectReason.Requested, client.Server.Disconnected);
        Assert.Equal(RequestStatus.NotSent, (await client.TryRequestAsync<Ping, Pong>(default)).Status);
    }

    [Fact]
    public async Task Everything_unanswered_ends_at_once_when_the_peer_is_gone()
    {
        using var started = new CountdownEvent(100);
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server => server.OnRequest<Ping, Pong>(async (_, _, token) =>
        {
            started.Signal();
            await Task.Delay(Timeout.Infinite, token);
            return default;
        }));

        var requests = Enumerable.Range(0, 100).Select(i => hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(i)).AsTask()).ToArray();
        await Deadline.RunAside(() => started.Wait(Deadline.Length)).InTime();
        await hosts.Server.DisposeAsync();

        Assert.All(await Task.WhenAll(requests).InTime(), result => Assert.Equal(RequestStatus.Disconnected, result.Status));
    }

    [Fact]
    public async Task Server_with_fifty_clients_sends_a_goodbye_to_each()
    {
        var server = await MessageHost.ListenAsync(NewEndpoint());
        var clients = await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => MessageHost.ConnectAsync(server.Endpoint))).InTime();
        var gone = clients.Select(client => client.Disconnection()).ToArray();

        await server.DisposeAsync().AsTask().InTime();

        Assert.All(await Task.WhenAll(gone).InTime(), reason => Assert.Equal(DisconnectReason.Goodbye, reason));
        foreach (var client in clients)
            await client.DisposeAsync();
    }

    [Fact]
    public async Task A_broadcast_reaches_all()
    {
        await using var server = await MessageHost.ListenAsync(NewEndpoint());
        var received = Enumerable.Range(0, 5).Select(_ => Signal.New<string>()).ToArray();
        var clients = new List<MessageClient>();
        foreach (var one in received)
            clients.Add(await MessageHost.ConnectAsync(server.Endpoint, client => client.On((in Note note, Peer _) => one.SetResult(note.Text))));
        await Signal.UntilAsync(() => server.Peers.Count == 5);

        Assert.Equal(5, server.Broadcast(new Note("to all")));

        Assert.All(await Task.WhenAll(received.Select(one => one.Task)).InTime(), text => Assert.Equal("to all", text));
        foreach (var client in clients)
            await client.DisposeAsync();
    }

    [Fact]
    public async Task Disposing_while_others_send_and_ask_ends()
    {
        await using var server = await MessageHost.ListenAsync(NewEndpoint(), server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        var client = await MessageHost.ConnectAsync(server.Endpoint);
        var running = Signal.New<bool>();
        var others = Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
        {
            var sent = 0;
            while (client.Send(new Note("x")) != SendStatus.Closed)
            {
                if ((await client.TryRequestAsync<Ping, Pong>(new Ping(sent))).Status == RequestStatus.Replied && ++sent > 20)
                    running.TrySetResult(true);
            }
        })).ToArray();

        await running.Task.InTime();
        await Task.WhenAll(client.DisposeAsync().AsTask(), client.DisposeAsync().AsTask()).InTime();

        await Task.WhenAll(others).InTime();
    }
}
