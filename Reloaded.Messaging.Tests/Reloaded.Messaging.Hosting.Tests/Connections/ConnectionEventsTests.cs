using System.Collections.Concurrent;
using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>The law of a connection's events: it is refused once, or connected once and disconnected once after that. The counters agree.</summary>
public sealed class ConnectionEventsTests
{
    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"connection-events-{Interlocked.Increment(ref s_names)}");

    /// <summary>Each side ends the connection at a random moment of the login, in each of its ways, on several threads.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Connection_is_refused_or_connected_and_disconnected(int seed)
    {
        const int Threads = 4, Each = 60;
        var (events, known) = (new ConcurrentQueue<(long Id, string Event)>(), new ConcurrentDictionary<long, Peer>());
        var refused = 0;
        await using var server = await MessageHost.ListenAsync(
            _endpoint,
            server =>
            {
                server.PeerConnected += peer => events.Enqueue((peer.Id, "connected"));
                server.PeerDisconnected += (peer, _) => events.Enqueue((peer.Id, "disconnected"));
                server.ConnectionRefused += _ => Interlocked.Increment(ref refused);
                server.OnAuthenticate<Login, Welcome>(async (login, from, token) =>
                {
                    var random = new Random((1000 * seed) + int.Parse(login.Name, CultureInfo.InvariantCulture));
                    known[from.Id] = from;
                    if (random.Next(2) == 0)
                        await Task.Yield();
                    switch (random.Next(6))
                    {
                        case 0:
                            _ = from.KickAsync("no");
                            break;
                        case 1:
                            _ = Task.Run(from.Lose, token);
                            break;
                        case 2:
                            throw new RequestFaultException(1001, "no");
                    }

                    return new Welcome("yes");
                });
            });

        await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Task.Run(async () =>
        {
            var random = new Random((100 * seed) + thread);
            for (var i = 0; i < Each; i++)
            {
                await using var client = await MessageHost.ConnectAsync(_endpoint);
                var login = client.TryRequestAsync<Login, Welcome>(new Login(((thread * Each) + i).ToString(CultureInfo.InvariantCulture), "secret")).AsTask();
                if (random.Next(3) == 0)
                    client.Server.Lose();
                if (random.Next(2) == 0)
                    await login.InTime();
            }
        }))).InTime();
        await Signal.UntilAsync(() => server.GetStatistics().Peers == 0);
        await server.DisposeAsync().AsTask().InTime(); // all events are raised

        var connected = events.Where(static one => one.Event == "connected").Select(static one => one.Id).ToList();
        Assert.Equal(Threads * Each, connected.Count + refused);
        Assert.All(events.GroupBy(static one => one.Id), static peer => Assert.Equal(["connected", "disconnected"], peer.Select(static one => one.Event)));
        Assert.Equal((refused, connected.Count), (server.GetStatistics().RefusedConnections, Enum.GetValues<DisconnectReason>().Sum(reason => server.Resources.Disconnects[reason])));
        Assert.All(connected, id => Assert.True(known[id].Connection.WasOpen));
        Assert.Empty(server.Peers);
        Assert.Equal(0, server.AllPeers.Count);
    }
}
