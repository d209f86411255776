using System.Net;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>The port, the counters and the events of a server that receives datagrams.</summary>
public sealed class UdpServerTests
{
    [Fact]
    public async Task Server_that_was_refused_frees_its_port()
    {
        int port;
        using (var socket = new System.Net.Sockets.UdpClient(new IPEndPoint(IPAddress.Loopback, 0)))
            port = ((IPEndPoint)socket.Client.LocalEndPoint!).Port;

        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(
            () => MessageHost.ListenAsync(MessageEndpoint.Udp(port), options: new MessageHostOptions { Token = new byte[15], Protection = ProtectionOptions.WithToken() }));
        Assert.Contains("15 bytes", refusal.Message, StringComparison.Ordinal);

        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(port), options: new MessageHostOptions { Token = new byte[32], Protection = ExchangedKeys.WithToken() });
    }

    [Fact]
    public async Task Published_server_counts_its_datagrams()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), options: new MessageHostOptions { PublishedName = $"udp-{Guid.NewGuid():N}" });
        using var stranger = new UnauthenticatedClient(server.Endpoint);

        await stranger.SendAsync([99]);

        await Signal.UntilAsync(() => server.GetCount(DatagramDropReason.Malformed) == 1);
    }

    [Fact]
    public async Task Exception_while_a_datagram_is_handled_is_counted_and_reported_and_the_server_goes_on()
    {
        var time = new ThrowingTime();
        var context = new TransportContext { TimeProvider = time };
        var listener = UdpListeners.Listen(context);
        await using var server = Servers.Make(listener, new MessageHostOptions(), context);
        server.Start();
        var reported = Signal.New<Exception>();
        server.DatagramFailed += exception =>
        {
            reported.SetResult(exception);
            throw new InvalidOperationException("A listener that fails, too.");
        };
        using var stranger = new UnauthenticatedClient(server.Endpoint);

        time.Throws = true;
        await stranger.SendAsync(UnauthenticatedClient.Hello());
        Assert.IsType<NotSupportedException>(await reported.Task.InTime());
        Assert.Equal(1, server.GetCount(DatagramDropReason.Failed));
        time.Throws = false;
        await using var client = await MessageHost.ConnectAsync(server.Endpoint).InTime();
        Assert.Equal(1, server.GetStatistics().HandlerFailures);
    }

    private sealed class ThrowingTime : TimeProvider
    {
        public volatile bool Throws;

        public override long GetTimestamp() => Throws ? throw new NotSupportedException() : base.GetTimestamp();
    }
}
