using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <content>Requests inside of requests.</content>
public abstract partial class HostTests
{
    [Fact]
    public async Task Both_sides_ask_back_from_inside_of_handlers()
    {
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), AskBack, AskBack);

        var replies = await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => hosts.Client.RequestAsync<Ping, Pong>(new Ping(6)).AsTask())).InTime();

        Assert.All(replies, reply => Assert.Equal(new Pong(6), reply));

        static void AskBack(MessageHost host) => host.OnRequest<Ping, Pong>(async (ping, from, token) =>
            ping.Number == 0 ? default : new Pong(1 + (await from.RequestAsync<Ping, Pong>(new Ping(ping.Number - 1), cancellationToken: token)).Number));
    }

    [Fact]
    public async Task A_handler_that_blocks_for_its_peers_answer_waits_no_longer_than_its_timeout()
    {
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server => server.OnRequest((in Ping ping, Peer from) =>
        {
            var asked = from.TryRequestAsync<Ping, Pong>(default, TimeSpan.FromMilliseconds(100)).AsTask();
            return new Pong((int)asked.InTime().GetAwaiter().GetResult().Status);
        }), client => client.OnRequest((Ping ping) => new Pong(ping.Number)));

        var reply = await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime();

        Assert.Equal((int)RequestStatus.TimedOut, reply.Number); // while it blocks, nobody reads its answer
    }

    [Fact]
    public async Task Replies_may_come_in_another_order_than_their_requests()
    {
        var gate = Signal.New<bool>();
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server => server.OnRequest<Ping, Pong>(async (ping, _, _) =>
        {
            if (ping.Number == 1)
                await gate.Task;
            return new Pong(ping.Number);
        }));

        var first = hosts.Client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask();
        var second = await hosts.Client.RequestAsync<Ping, Pong>(new Ping(2)).AsTask().InTime();
        Assert.False(first.IsCompleted);
        gate.SetResult(true);

        Assert.Equal((new Pong(1), new Pong(2)), (await first.InTime(), second));
    }
}
