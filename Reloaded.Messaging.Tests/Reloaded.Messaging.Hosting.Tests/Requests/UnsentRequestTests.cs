using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

/// <summary>Each request and reply that was not sent counts once.</summary>
public sealed class UnsentRequestTests
{
    private static readonly TimeSpan s_minute = TimeSpan.FromMinutes(1);
    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"unsent-request-{Interlocked.Increment(ref s_names)}");
    private readonly HostLimits _two = new() { MaxUnansweredRequests = 2 };

    [Fact]
    public async Task Request_beyond_the_limit_of_unanswered_requests_is_counted_as_Full()
    {
        var gate = Signal.New<bool>();
        await using var server = await ListenAsync(gate.Task);
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: new MessageHostOptions { Limits = _two });

        var requests = Enumerable.Range(0, 5).Select(i => client.TryRequestAsync<Ping, Pong>(new Ping(i), s_minute).AsTask()).ToArray();
        gate.SetResult(true);

        Assert.Equal(3, (await Task.WhenAll(requests).InTime()).Count(result => result.Status == RequestStatus.Full));
        Assert.Equal((3, 3), (client.GetCount(SendStatus.Full), client.Server.GetCount(SendStatus.Full)));
    }

    [Fact]
    public async Task Request_to_a_peer_that_is_gone_is_counted_as_Closed()
    {
        await using var server = await ListenAsync(Task.CompletedTask);
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        await client.Server.DisconnectAsync().InTime();

        Assert.Equal(RequestStatus.NotSent, (await client.TryRequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime()).Status);

        Assert.Equal((1, 1), (client.GetCount(SendStatus.Closed), client.Server.GetCount(SendStatus.Closed)));
    }

    [Fact]
    public async Task Reply_to_a_peer_that_is_gone_is_counted_as_Closed()
    {
        var gate = Signal.New<bool>();
        var entered = Signal.New<Peer>();
        await using var server = await ListenAsync(gate.Task, entered);
        var client = await MessageHost.ConnectAsync(_endpoint);
        var gone = server.Disconnection();
        var request = client.TryRequestAsync<Ping, Pong>(new Ping(1), s_minute).AsTask();
        var peer = await entered.Task.InTime();
        await client.DisposeAsync();
        await gone.InTime();

        gate.SetResult(true);

        Assert.Equal(RequestStatus.Disconnected, (await request.InTime()).Status);
        await Signal.UntilAsync(() => server.GetCount(SendStatus.Closed) == 1);
        Assert.Equal(1, peer.GetCount(SendStatus.Closed));
    }

    [Fact]
    public async Task Request_that_waits_in_the_resend_queue_is_not_counted_and_one_beyond_its_limit_is()
    {
        var first = await MessageHost.ListenAsync(_endpoint);
        var gate = Signal.New<bool>();
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: new MessageHostOptions
        {
            Limits = _two,
            Reconnect = new ReconnectOptions { FirstDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(20), ResendsRequests = true },
        });
        var gone = client.Disconnection();
        await first.DisposeAsync();
        await gone.InTime();
        var requests = Enumerable.Range(0, 3).Select(i => client.TryRequestAsync<Ping, Pong>(new Ping(i), s_minute).AsTask()).ToArray();
        Assert.Equal(RequestStatus.Full, (await requests[2].InTime()).Status);
        Assert.Equal(1, client.GetCount(SendStatus.Full));
        client.PeerConnected += peer =>
        {
            for (var i = 0; i < 2; i++) // these take all the room before a request that waited is sent
                _ = peer.TryRequestAsync<Ping, Pong>(new Ping(-1), s_minute).AsTask();
        };

        await using var second = await ListenAsync(gate.Task);
        await Signal.UntilAsync(() => client.Server.Requests.Unanswered.Count == 2);
        await client.Server.FlushAsync().InTime();
        gate.SetResult(true);

        Assert.All(await Task.WhenAll(requests.Take(2)).InTime(), result => Assert.Equal(RequestStatus.Replied, result.Status));
        Assert.Equal(1, client.GetCount(SendStatus.Full));
    }

    private Task<MessageServer> ListenAsync(Task gate, TaskCompletionSource<Peer>? entered = null) =>
        MessageHost.ListenAsync(_endpoint, server => server.OnRequest<Ping, Pong>(async (ping, from, _) =>
        {
            entered?.TrySetResult(from);
            await gate;
            return new Pong(ping.Number);
        }));
}
