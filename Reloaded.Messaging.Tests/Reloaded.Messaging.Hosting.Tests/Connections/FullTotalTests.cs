using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class FullTotalTests
{
    private static readonly Note s_large = new(new string('x', 10_000));

    [Fact]
    public async Task Hello_with_many_contracts_is_sent_while_the_bytes_of_all_peers_are_used_up()
    {
        var contracts = Enumerable.Range(0, 4000).Select(i => new MessageContract<Ping>((uint)(1000 + i), new BlittableSerializer<Ping>(), version: 1)).ToList();
        var options = new MessageHostOptions { Limits = new HostLimits { MaxTotalPendingBytes = 200_000 }, KeepAliveTimeout = TimeSpan.FromHours(1) };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => contracts.ForEach(server.AnnounceContract), options);
        using var stuck = await RawPeer.HandshakeAsync(server.Endpoint);
        await (await server.Connection().InTime()).FillAsync(s_large);
        Assert.True(server.GetStatistics().PendingBytes > 0);

        await using var client = await MessageHost.ConnectAsync(server.Endpoint).InTime();

        Assert.True(client.Server.IsConnected);
        GC.KeepAlive(contracts);
    }
}
