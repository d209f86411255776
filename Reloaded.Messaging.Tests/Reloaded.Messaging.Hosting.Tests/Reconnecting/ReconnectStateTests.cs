using System.Collections.Concurrent;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Reconnecting;

/// <summary>Nothing of an ended connection is left in the hosts of its sides.</summary>
public sealed class ReconnectStateTests
{
    private const int Rounds = 40;

    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"reconnect-state-{Interlocked.Increment(ref s_names)}");

    /// <summary>Ends the connection of a client again and again, in each way in which the client reconnects, while a request and an event wait. The server accepts one peer.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Hosts_after_many_reconnections_have_one_peer_and_nothing_else(int seed)
    {
        var (random, ends, canceled) = (new Random(seed), new ConcurrentQueue<(Peer Peer, DisconnectReason Reason)>(), 0);
        await using var server = await MessageHost.ListenAsync(
            _endpoint,
            server =>
            {
                server.OnRequest((Ping ping) => new Pong(ping.Number));
                server.OnRequest<Note, Pong>(async (_, _, token) =>
                {
                    await Task.Delay(Timeout.Infinite, token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                    Interlocked.Increment(ref canceled);
                    return default;
                });
            },
            new MessageHostOptions { Limits = new HostLimits { MaxPeers = 1 } });
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: new MessageHostOptions { Reconnect = new ReconnectOptions { FirstDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(5) } });
        var connections = new ConcurrentQueue<Peer>([client.Server]);
        client.PeerConnected += connections.Enqueue;
        client.PeerDisconnected += (peer, reason) => ends.Enqueue((peer, reason));
        var endless = 0;

        for (var round = 1; round <= Rounds; round++)
        {
            var (ours, theirs) = (client.Server, await server.Connection().InTime());
            var request = client.TryRequestAsync<Note, Pong>(new Note("endless"), TimeSpan.FromHours(1)).AsTask();
            await Signal.UntilAsync(() => theirs.RunningHandlers == 1);
            endless++;
            theirs.Cork();
            theirs.Send(new Pong(1));
            await EndAsync(random.Next(5), ours, theirs);
            await Signal.UntilAsync(() => client.Reconnects == round);

            Assert.Equal(RequestStatus.Disconnected, (await request.InTime()).Status);
            Assert.Same(client.Server, await client.WaitForConnectionAsync().InTime());
            Assert.Equal(new Pong(round), await client.RequestAsync<Ping, Pong>(new Ping(round)).AsTask().InTime());
        }

        Assert.Equal(client.Server, Assert.Single(client.Peers));
        Assert.Equal(connections.Select(static peer => peer.Id).Distinct(), connections.Select(static peer => peer.Id));
        Assert.Equal(connections.SkipLast(1), ends.Select(static end => end.Peer)); // each connection ended once, in order
        Assert.Equal(Rounds, Enum.GetValues<DisconnectReason>().Sum(reason => client.Resources.Disconnects[reason]));
        await Signal.UntilAsync(() => server.Registry.Count == 1 && client.Registry.Count == 1 && Volatile.Read(ref canceled) == endless && !server.Registry.HasWork);
        Assert.Equal((1, 1), (client.AllPeers.Count, server.AllPeers.Count));
        Assert.Equal((0, 0), (client.GetStatistics().PendingBytes, server.GetStatistics().PendingBytes));
        Assert.Equal(0, client.Server.Requests.Unanswered.Count);
    }

    private static Task EndAsync(int way, Peer ours, Peer theirs)
    {
        switch (way)
        {
            case 0:
                return theirs.KickAsync("round");
            case 1:
                return theirs.DisconnectAsync();
            case 2:
                theirs.Lose();
                return Task.CompletedTask;
            case 3:
                ours.Lose();
                return Task.CompletedTask;
            default:
                theirs.Connection.End(DisconnectReason.NotReading);
                return Task.CompletedTask;
        }
    }
}
