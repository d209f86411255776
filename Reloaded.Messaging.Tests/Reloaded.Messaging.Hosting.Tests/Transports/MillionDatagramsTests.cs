using System.Globalization;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.PeerProcess.Datagrams;
using Reloaded.Messaging.Tests.Reconnecting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>
/// Two processes exchange encrypted datagrams by a proxy that loses, repeats, delays, cuts and alters them.
/// A million takes some minutes.
/// </summary>
public sealed class MillionDatagramsTests
{
    private const string Name = "million-datagrams";

    private static readonly int s_datagrams = Extent.Of(10_000, 20_000, 20_000, 1_000_000);

    [Fact]
    public async Task Nothing_is_delivered_twice_nothing_forged_is_and_every_drop_is_counted()
    {
        var each = s_datagrams / 2;
        var (up, down) = (new ProxiedDirection(each, seed: 1), new ProxiedDirection(each, seed: 2));
        using var far = await GameProcess.StartAsync(Name, FarDatagrams.Verb, $"{each}");
        await using var orders = await MessageHost.ConnectAsync(far.Endpoint);
        await using var proxy = new UdpProxy { Treat = (datagram, isUp) => (isUp ? up : down).Treat(datagram) };
        proxy.Start(MessageEndpoint.Udp(int.Parse(far.Said, CultureInfo.InvariantCulture)));
        var sink = new DatagramSink(each);
        await using var client = await MessageHost.ConnectAsync(
            proxy.Endpoint,
            client => client.On(DatagramTraffic.Contract, (in ReadOnlyMemory<byte> message, Peer _) => sink.Take(message)),
            DatagramTraffic.Options()).InTime();
        sink.CountOf(client);

        await Task.WhenAll(
            up.RunAsync(SendUpAsync, async () => await orders.RequestAsync<SumDatagrams, DatagramsTaken>(default)),
            down.RunAsync(SendDownAsync, () => Task.FromResult(sink.Sum())));

        foreach (var way in new[] { up, down })
        {
            TestContext.Current.TestOutputHelper?.WriteLine(way.ToString());
            way.Check();
        }

        Assert.Equal((0, 0), (client.GetStatistics().HandlerFailures, client.GetStatistics().MalformedMessages));
        Assert.True(client.Server.IsConnected);

        Task SendUpAsync(int first, int count)
        {
            for (var i = 0; i < count; i++)
                Assert.Equal(SendStatus.Sent, client.Server.Send(DatagramTraffic.Contract, DatagramTraffic.Make(first + i)));
            return Task.CompletedTask;
        }

        async Task SendDownAsync(int first, int count) => await orders.RequestAsync<SendDatagrams, SendDatagrams>(new SendDatagrams(first, count));
    }
}
