using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>What a client over datagrams keeps when it connects again.</summary>
public sealed class UdpReconnectTests
{
    [Fact]
    public async Task Drops_are_counted_over_all_connections()
    {
        var options = new MessageHostOptions
        {
            Token = new byte[32],
            Protection = ExchangedKeys.WithToken(),
            Reconnect = new ReconnectOptions { FirstDelay = TimeSpan.FromMilliseconds(1) },
        };
        await using var proxy = new UdpProxy();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)), options);
        proxy.Start(server.Endpoint);
        await using var client = await MessageHost.ConnectAsync(proxy.Endpoint, options: options).InTime();

        await RepeatAsync();
        var before = client.GetCount(DatagramDropReason.Replayed);
        (await server.Connection().InTime()).Lose();
        await Signal.UntilAsync(() => client.Reconnects == 1);
        await RepeatAsync();

        Assert.InRange(before, 1, long.MaxValue);

        async Task RepeatAsync()
        {
            var count = client.GetCount(DatagramDropReason.Replayed);
            proxy.Treat = static (datagram, _) => [datagram, datagram];
            Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
            await Signal.UntilAsync(() => client.GetCount(DatagramDropReason.Replayed) > count);
            proxy.Treat = static (datagram, _) => [datagram];
        }
    }
}
