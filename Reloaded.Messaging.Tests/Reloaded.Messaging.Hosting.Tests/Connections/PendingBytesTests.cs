using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>Peers that do not read cannot take the host's memory.</summary>
public sealed class PendingBytesTests
{
    private static readonly Note s_large = new(new string('x', 10_000));

    [Fact]
    public async Task Memory_of_all_outboxes_is_bounded_and_an_honest_peer_still_gets_a_large_reply()
    {
        const int Total = 1 << 20;
        var options = new MessageHostOptions { Limits = new HostLimits { MaxTotalPendingBytes = Total }, KeepAliveTimeout = TimeSpan.FromHours(1) };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping _) => new Note(new string('y', 400_000))), options);
        var raws = new List<RawPeer>();
        for (var i = 0; i < 4; i++)
            raws.Add(await RawPeer.HandshakeAsync(server.Endpoint));
        await Signal.UntilAsync(() => server.Peers.Count == raws.Count);

        foreach (var peer in server.Peers)
            await peer.FillAsync(s_large);
        Assert.InRange(server.GetStatistics().PendingBytes, Total / 2, Total);

        await using var honest = await MessageHost.ConnectAsync(server.Endpoint);
        Assert.Equal(400_000, (await honest.RequestAsync<Ping, Note>(new Ping(1)).AsTask().InTime()).Text.Length);

        Assert.InRange(server.GetCount(DisconnectReason.NotReading), 1, raws.Count);
        Assert.True(honest.Server.IsConnected);
        raws.ForEach(raw => raw.Dispose());
        await Signal.UntilAsync(() => server.GetStatistics().PendingBytes == 0);
    }

    [Fact]
    public async Task Sending_once_there_is_room_in_the_total_waits_and_goes_on()
    {
        var options = new MessageHostOptions { Limits = new HostLimits { MaxTotalPendingBytes = 1 << 20 }, KeepAliveTimeout = TimeSpan.FromHours(1) };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: options);
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await Signal.UntilAsync(() => server.Peers.Count == 1);
        var peer = server.Peers.Single();
        await peer.FillAsync(s_large);

        var waiting = peer.SendAsync(s_large).AsTask();
        Assert.False(waiting.IsCompleted);
        var reading = raw.ReceiveToEndAsync();

        Assert.Equal(SendStatus.Sent, await waiting.InTime());
        await peer.DisconnectAsync();
        await reading.InTime();
    }

    [Fact]
    public async Task Peer_that_sends_and_does_not_read_is_ended()
    {
        var options = new MessageHostOptions { KeepAliveTimeout = TimeSpan.FromSeconds(3), PingInterval = TimeSpan.FromSeconds(1) };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: options);
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await Signal.UntilAsync(() => server.Peers.Count == 1);
        var (peer, gone) = (server.Peers.Single(), server.Disconnection());
        while (peer.Send(s_large) == SendStatus.Sent)
            continue;

        // It is heard all the time: what ends it is that it does not read.
        var pong = RawPeer.Frame(MessageKind.Control, 2, 0, BitConverter.GetBytes(1L));
        while (!gone.IsCompleted)
        {
            try
            {
                await raw.SendAsync(pong);
            }
            catch (System.IO.IOException)
            {
                break; // the server has hung up
            }

            await Task.WhenAny(gone, Task.Delay(100));
        }

        Assert.Equal(DisconnectReason.NotReading, await gone.InTime());
        Assert.Equal(1, server.GetCount(DisconnectReason.NotReading));
    }
}
