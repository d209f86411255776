using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pumping;

/// <summary>A peer that floods a pumped host delays itself, and not the other peers.</summary>
public sealed class PumpFairnessTests
{
    [Fact]
    public async Task Request_of_a_second_peer_is_handled_before_a_flood_that_waits()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), Register, serverOptions: new MessageHostOptions { IsPumped = true });
        await using var other = await MessageHost.ConnectAsync(hosts.Server.Endpoint);
        await FloodAsync(hosts.Server, hosts.Client, 20_000);
        var flood = hosts.Server.Inbox!.Count;

        var asking = other.RequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMinutes(1)).AsTask();
        await Signal.UntilAsync(() => hosts.Server.Inbox!.Count > flood);
        Assert.Equal(4, hosts.Server.Pump(PumpBudget.Messages(4)).Pumped);

        Assert.Equal(new Pong(1), await asking.InTime());
        Assert.True(flood > 1000);
    }

    [Fact]
    public async Task Flooding_peer_leaves_room_for_another()
    {
        var options = new MessageHostOptions { IsPumped = true, PumpCapacity = 64 };
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), Register, serverOptions: options);
        await using var other = await MessageHost.ConnectAsync(hosts.Server.Endpoint);
        await FloodAsync(hosts.Server, hosts.Client, 2000);
        var flood = hosts.Server.Inbox!.Count;

        for (var i = 0; i < 5; i++)
            other.Send(new Note("x"));

        await Signal.UntilAsync(() => hosts.Server.Inbox!.Count == flood + 5);
        Assert.True(flood + 5 <= options.PumpCapacity);
    }

    [Fact]
    public async Task Peer_finds_room_for_a_message_however_many_others_flood()
    {
        var options = new MessageHostOptions { IsPumped = true, PumpCapacity = 8 };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), Register, options);
        var flooding = await Task.WhenAll(Enumerable.Range(0, 12).Select(_ => MessageHost.ConnectAsync(server.Endpoint)));
        foreach (var client in flooding)
            await FloodAsync(server, client, 100);

        await using var other = await MessageHost.ConnectAsync(server.Endpoint);
        var asking = other.RequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMinutes(1)).AsTask();
        await Deadline.RunAside(() => PumpUntil(server, () => asking.IsCompleted)).InTime();

        Assert.Equal(new Pong(1), await asking);
        await Task.WhenAll(flooding.Select(static client => client.DisposeAsync().AsTask())); // each waits for the server, which is not pumped
    }

    [Fact]
    public async Task Messages_of_each_peer_stay_in_order_while_peers_take_turns()
    {
        const int Peers = 3, Each = 2000;
        var received = new Dictionary<long, List<int>>();
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Tcp(0),
            server => server.On((in Ping ping, Peer from) =>
            {
                if (!received.TryGetValue(from.Id, out var numbers))
                    received[from.Id] = numbers = [];
                numbers.Add(ping.Number);
            }),
            new MessageHostOptions { IsPumped = true, PumpCapacity = 32, PumpBytes = 2000 });
        var clients = await Task.WhenAll(Enumerable.Range(0, Peers).Select(_ => MessageHost.ConnectAsync(server.Endpoint)));
        foreach (var client in clients)
        {
            for (var i = 0; i < Each; i++)
                Assert.Equal(SendStatus.Sent, client.Send(new Ping(i)));
        }

        await Deadline.RunAside(() => PumpUntil(server, () => received.Count == Peers && received.Values.All(numbers => numbers.Count == Each))).InTime();

        Assert.All(received.Values, numbers => Assert.Equal(Enumerable.Range(0, Each), numbers));
        foreach (var client in clients)
            await client.DisposeAsync();
    }

    private static void Register(MessageServer server)
    {
        server.On((in Note _, Peer _) => { });
        server.OnRequest((Ping ping) => new Pong(ping.Number));
    }

    /// <summary>Sends until the server takes no more.</summary>
    private static async Task FloodAsync(MessageServer server, MessageClient client, int count)
    {
        for (var i = 0; i < count; i++)
            Assert.Equal(SendStatus.Sent, await client.SendAsync(new Note("x")).AsTask().InTime());
        await client.Server.FlushAsync().InTime();
        var (before, since) = (-1, 0);
        await Signal.UntilAsync(() =>
        {
            var now = server.Inbox!.Count;
            since = now == before ? since + 1 : 0;
            before = now;
            return since == 20;
        });
    }

    private static void PumpUntil(MessageHost host, Func<bool> condition)
    {
        var end = Environment.TickCount64 + (long)Deadline.Length.TotalMilliseconds;
        while (!condition() && Environment.TickCount64 < end)
        {
            if (host.Pump().Pumped == 0)
                Thread.Yield();
        }
    }
}
