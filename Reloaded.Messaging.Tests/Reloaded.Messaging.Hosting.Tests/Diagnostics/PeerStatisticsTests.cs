using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Diagnostics;

public sealed class PeerStatisticsTests
{
    [Theory]
    [InlineData("local")]
    [InlineData("udp")]
    [InlineData("protected udp")]
    public async Task Bytes_round_trip_and_loss_of_peer(string transport)
    {
        var options = new MessageHostOptions
        {
            PingInterval = TimeSpan.FromMilliseconds(50),
            Protection = transport == "protected udp" ? ProtectionOptions.WithSecret(new byte[32]) : null,
        };
        var endpoint = transport == "local" ? MessageEndpoint.InProcess($"statistics-{Guid.NewGuid():N}") : MessageEndpoint.Udp(0);
        await using var hosts = await HostPair.ConnectAsync(endpoint, server => server.OnRequest((Ping ping) => new Pong(ping.Number)), options: options);
        var before = hosts.Client.Server.GetStatistics();

        await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1));

        await Signal.UntilAsync(() => hosts.Client.Server.GetStatistics().RoundTripTime > TimeSpan.Zero && hosts.Client.Server.GetStatistics().PendingBytes == 0);
        var after = hosts.Client.Server.GetStatistics();
        Assert.True(after.BytesSent > before.BytesSent);
        Assert.True(after.BytesReceived > before.BytesReceived);
        Assert.InRange(after.Silence, TimeSpan.Zero, Deadline.Length);
        Assert.Equal(transport != "local", after.Path is not null);
        if (after.Path is { } path)
        {
            Assert.True(path.RoundTripTime > TimeSpan.Zero && path.Jitter >= TimeSpan.Zero && path.CongestionWindow > 0);
            Assert.InRange(path.ReceivedLossShare!.Value, 0, 0.5);
            Assert.InRange(path.SentLossShare!.Value, 0, 0.5);
        }
    }

    [Fact]
    public async Task Silence_grows_until_bytes_arrive()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), null, new MessageHostOptions { PingInterval = TimeSpan.FromMilliseconds(10) });
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await server.Connection().InTime();
        Assert.Equal(TimeSpan.Zero, peer.RoundTripTime);
        await Signal.UntilAsync(() => peer.GetStatistics().Silence > TimeSpan.FromMilliseconds(100));

        var silence = peer.GetStatistics().Silence;
        await raw.SendAsync(RawPeer.Frame(Wire.MessageKind.Event, 99, 0));

        await Signal.UntilAsync(() => peer.GetStatistics().Silence < silence);
    }
}
