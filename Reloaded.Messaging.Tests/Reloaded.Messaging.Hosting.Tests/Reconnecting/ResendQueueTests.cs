using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Reconnecting;

public sealed class ResendQueueTests
{
    private const int Limit = 4;

    private static readonly TimeSpan s_minute = TimeSpan.FromMinutes(1);
    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"resend-queue-{Interlocked.Increment(ref s_names)}");

    [Fact]
    public async Task Requests_beyond_the_limit_of_unanswered_requests_are_full_while_there_is_no_server()
    {
        var server = await MessageHost.ListenAsync(_endpoint);
        await using var client = await ConnectAsync();
        var gone = client.Disconnection();
        await server.DisposeAsync();
        await gone.InTime();

        var requests = Enumerable.Range(0, 3 * Limit).Select(i => client.TryRequestAsync<Ping, Pong>(new Ping(i), s_minute).AsTask()).ToArray();
        await Signal.UntilAsync(() => requests.Count(request => request.IsCompleted) == 2 * Limit);

        foreach (var request in requests.Skip(Limit))
            Assert.Equal(RequestStatus.Full, (await request.InTime()).Status);
        await using var next = await MessageHost.ListenAsync(_endpoint, server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        foreach (var request in requests.Take(Limit))
            Assert.Equal(RequestStatus.Replied, (await request.InTime()).Status);
    }

    [Fact]
    public async Task Requests_that_waited_are_sent_in_order_as_answers_make_room()
    {
        var server = await MessageHost.ListenAsync(_endpoint);
        await using var client = await ConnectAsync();
        var gone = client.Disconnection();
        var direct = new List<Task<RequestResult<Pong>>>();
        await server.DisposeAsync();
        await gone.InTime();
        var requests = Enumerable.Range(0, Limit).Select(i => client.TryRequestAsync<Ping, Pong>(new Ping(i), s_minute).AsTask()).ToArray();
        client.PeerConnected += peer =>
        {
            for (var i = 0; i < Limit; i++) // these take all the room before a request that waited is sent
                direct.Add(peer.TryRequestAsync<Ping, Pong>(new Ping(-1), s_minute).AsTask());
        };

        var (gate, received) = (Signal.New<bool>(), new List<int>());
        await using var next = await MessageHost.ListenAsync(_endpoint, server => server.OnRequest<Ping, Pong>(async (ping, _, _) =>
        {
            if (ping.Number >= 0)
                received.Add(ping.Number);
            else
                await gate.Task;
            return new Pong(ping.Number);
        }));
        await Signal.UntilAsync(() => client.Reconnects == 1);
        await client.Server.FlushAsync();
        gate.SetResult(true);

        Assert.All(await Task.WhenAll(requests).InTime(), result => Assert.Equal(RequestStatus.Replied, result.Status));
        Assert.All(await Task.WhenAll(direct).InTime(), result => Assert.Equal(RequestStatus.Replied, result.Status));
        Assert.Equal(Enumerable.Range(0, Limit), received);
    }

    [Fact]
    public async Task Request_that_is_canceled_as_its_slot_opens_has_the_slot_or_nothing()
    {
        var peer = new object();
        for (var i = 0; i < 2000; i++)
        {
            var queue = new ResendQueue<object>(Limit, static _ => true);
            using var cancellation = new CancellationTokenSource();
            Assert.True(queue.TryEnter(out var place));
            var waiting = queue.WaitForSlotAsync(place, null, s_minute, cancellation.Token).AsTask();

            var opening = queue.OpenAsync(peer, default);
            cancellation.Cancel();

            var slot = await waiting.InTime();
            Assert.Same(peer, slot.Peer);
            slot.End();
            await opening.InTime();
        }
    }

    private Task<MessageClient> ConnectAsync() => MessageHost.ConnectAsync(_endpoint, options: new MessageHostOptions
    {
        Limits = new HostLimits { MaxUnansweredRequests = Limit },
        Reconnect = new ReconnectOptions { FirstDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(20), ResendsRequests = true },
    });
}
