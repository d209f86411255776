using System.Net.Sockets;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class RefusalTests
{
    private static int s_names;

    [Fact]
    public async Task One_peer_too_many_is_told_goodbye()
    {
        foreach (var endpoint in new[] { MessageEndpoint.Tcp(0), MessageEndpoint.InProcess($"refusal-{Interlocked.Increment(ref s_names)}") })
        {
            await using var hosts = await HostPair.ConnectAsync(endpoint, serverOptions: new MessageHostOptions { Limits = new HostLimits { MaxPeers = 1 } });

            var exception = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(hosts.Server.Endpoint).InTime());

            Assert.Equal(DisconnectReason.TooManyPeers, exception.Reason);
            await Signal.UntilAsync(() => hosts.Server.GetCount(DisconnectReason.TooManyPeers) == 1);
            Assert.True(hosts.Client.Server.IsConnected);
        }
    }

    [Fact]
    public async Task Nothing_runs_on_when_nobody_listens()
    {
        using var unused = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        unused.Bind(new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 0));

        await Assert.ThrowsAsync<TransportClosedException>(() => MessageHost.ConnectAsync(MessageEndpoint.Tcp(((System.Net.IPEndPoint)unused.LocalEndPoint!).Port)).InTime());
        await Assert.ThrowsAsync<TransportClosedException>(() => MessageHost.ConnectAsync(MessageEndpoint.InProcess("nobody")).InTime());
    }

    [Fact]
    public async Task A_callback_that_throws_leaves_nothing_behind()
    {
        var endpoint = MessageEndpoint.InProcess($"refusal-{Interlocked.Increment(ref s_names)}");

        await Assert.ThrowsAsync<FormatException>(() => MessageHost.ListenAsync(endpoint, _ => throw new FormatException()).InTime());
        await using var server = await MessageHost.ListenAsync(endpoint);
        MessageClient? client = null;
        await Assert.ThrowsAsync<FormatException>(() => MessageHost.ConnectAsync(endpoint, made => { client = made; throw new FormatException(); }).InTime());

        Assert.Equal(0, client!.GetStatistics().Peers);
        Assert.False(client.Server.IsConnected);
        await Signal.UntilAsync(() => server.GetStatistics().Peers == 0);
    }

    [Fact]
    public async Task Canceling_ends_an_attempt()
    {
        using var listener = new TcpListener(System.Net.IPAddress.Loopback, 0);
        listener.Start();
        using var source = new CancellationTokenSource();
        MessageClient? client = null;

        var attempt = MessageHost.ConnectAsync(MessageEndpoint.Tcp(((System.Net.IPEndPoint)listener.LocalEndpoint).Port), made => client = made, cancellationToken: source.Token);
        using var accepted = await listener.AcceptSocketAsync().InTime();
        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => attempt.InTime());
        Assert.True(client is null || !client.Server.IsConnected);
    }

    [Fact]
    public async Task The_smallest_limit_of_messages_does_not_keep_hosts_from_shaking_hands()
    {
        var options = new MessageHostOptions { MessageLimits = new MessageLimits { MaxMessageSize = 128 } };
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), Configure, Configure, options);

        Assert.Equal(new Pong(4), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(4)).AsTask().InTime());

        static void Configure(MessageHost host)
        {
            host.OnRequest((Ping ping) => new Pong(ping.Number));
            host.On((in Note _, Peer _) => { });
        }
    }
}
