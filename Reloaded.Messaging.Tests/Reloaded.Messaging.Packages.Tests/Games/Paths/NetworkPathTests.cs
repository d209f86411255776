using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Reflection.Emit;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Paths;

public sealed class NetworkPathTests
{
    private static readonly MessageHostOptions s_options = new() { RequestTimeout = Deadline.Length };

    [Fact]
    public async Task Client_reaches_its_server_over_a_path_that_counts_its_datagrams()
    {
        var path = new NetworkPath { Delay = TimeSpan.FromMilliseconds(5), Jitter = TimeSpan.FromMilliseconds(5), BytesPerSecond = 1_000_000 };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), Answer);
        await using var client = await MessageHost.ConnectAsync(server.Endpoint.WithPath(path), options: s_options);

        for (var i = 0; i < 10; i++)
            Assert.Equal(new Pong(i), await client.RequestAsync<Ping, Pong>(new Ping(i)).AsTask().InTime());

        Assert.InRange(path.Passed, 20, long.MaxValue);
        Assert.Equal(0, path.Lost);
        Assert.Equal(server.Endpoint.ToString(), client.Server.RemoteName);
    }

    [Fact]
    public async Task Clients_reach_a_server_over_its_path()
    {
        var path = new NetworkPath();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0).WithPath(path), Answer);
        Assert.Equal(MessageEndpoint.Udp(server.Endpoint.Port).WithPath(path), server.Endpoint);
        await using var one = await MessageHost.ConnectAsync(MessageEndpoint.Udp(server.Endpoint.Port), options: s_options);
        await using var other = await MessageHost.ConnectAsync(server.Endpoint, options: s_options); // by a path before the path

        Assert.Equal(new Pong(1), await one.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
        Assert.Equal(new Pong(2), await other.RequestAsync<Ping, Pong>(new Ping(2)).AsTask().InTime());

        Assert.InRange(path.Passed, 4, long.MaxValue);
        Assert.Equal(2, server.Peers.Count);
    }

    [Fact]
    public async Task Reliable_events_arrive_over_a_path_that_loses_a_fifth()
    {
        const int Count = 300;
        var (path, sent, handled) = (new NetworkPath { Loss = 0.2 }, 0, 0);
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), host =>
        {
            host.Deliver<Ping>(DeliveryMode.ReliableOrdered);
            _ = host.On((in Ping ping, Peer _) =>
            {
                if (ping.Number == handled)
                    Volatile.Write(ref handled, ping.Number + 1);
            });
        });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint.WithPath(path), static host => host.Deliver<Ping>(DeliveryMode.ReliableOrdered), s_options);

        for (; sent < Count || path.Lost == 0; sent++) // the events share datagrams, so that the first ones may all arrive
            Assert.Equal(SendStatus.Sent, await client.SendAsync(new Ping(sent)));

        await Signal.UntilAsync(() => Volatile.Read(ref handled) == sent);
    }

    [Fact]
    public async Task Changed_path_affects_later_datagrams()
    {
        var path = new NetworkPath();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), Answer);
        await using var client = await MessageHost.ConnectAsync(server.Endpoint.WithPath(path), options: s_options);

        path.Loss = 1;
        Assert.Equal(RequestStatus.TimedOut, (await client.TryRequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMilliseconds(100)).AsTask().InTime()).Status);
        path.Loss = 0;

        Assert.Equal(new Pong(2), await client.RequestAsync<Ping, Pong>(new Ping(2)).AsTask().InTime());
    }

    [Fact]
    public async Task Relay_ends_with_the_listener_and_its_channels()
    {
        var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0).WithPath(new NetworkPath()), Answer);
        var client = await MessageHost.ConnectAsync(server.Endpoint, options: s_options);
        var at = new IPEndPoint(IPAddress.Loopback, server.Endpoint.Port);
        Assert.False(IsFree(at));

        await client.DisposeAsync();
        await server.DisposeAsync();

        Assert.True(IsFree(at));
    }

    [Fact]
    public async Task Datagrams_that_have_arrived_pass_a_relay_that_ends()
    {
        var path = new NetworkPath { Delay = TimeSpan.FromSeconds(10) };
        using var server = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        using var client = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        var relay = PathRelay.Start(new IPEndPoint(IPAddress.Loopback, 0), (IPEndPoint)server.Client.LocalEndPoint!, path, new ManualTime());

        for (byte number = 0; number < 100; number++)
            await client.SendAsync(new[] { number }, new IPEndPoint(IPAddress.Loopback, relay.Port));
        await relay.ReleaseAsync();

        for (byte number = 0; number < 100; number++)
            Assert.Equal([number], (await server.ReceiveAsync().InTime()).Buffer);
        Assert.Equal((100, 0), (path.Passed, path.Lost));
    }

    [Fact]
    public async Task Client_beyond_the_most_takes_the_place_of_one_that_was_silent_for_a_minute()
    {
        var (time, path) = (new ManualTime(), new NetworkPath());
        using var server = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        var relay = PathRelay.Start(new IPEndPoint(IPAddress.Loopback, 0), (IPEndPoint)server.Client.LocalEndPoint!, path, time, maxClients: 2);
        using var first = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        using var second = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        using var third = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));

        await PassAsync(first, 1);
        await PassAsync(second, 2);
        await SendAsync(third, 3);
        await Signal.UntilAsync(() => path.Lost == 1);
        time.Advance(TimeSpan.FromSeconds(59));
        await PassAsync(second, 2);
        await SendAsync(third, 3);
        await Signal.UntilAsync(() => path.Lost == 2);
        time.Advance(TimeSpan.FromSeconds(1));
        await PassAsync(third, 3);
        await SendAsync(first, 1);
        await Signal.UntilAsync(() => path.Lost == 3);
        await PassAsync(second, 2);

        await relay.ReleaseAsync();
        Assert.True(IsFree(new IPEndPoint(IPAddress.Loopback, relay.Port)));

        async Task SendAsync(UdpClient client, byte content) => await client.SendAsync(new byte[] { content }, new IPEndPoint(IPAddress.Loopback, relay.Port));

        async Task PassAsync(UdpClient client, byte content)
        {
            await SendAsync(client, content);
            Assert.Equal([content], (await server.ReceiveAsync().InTime()).Buffer);
        }
    }

    [Fact]
    public async Task Server_for_other_machines_refuses_a_path_in_a_release_build_unless_it_is_allowed()
    {
        var options = new MessageHostOptions { Token = new byte[32], Protection = ProtectionOptions.WithToken() };
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(MessageEndpoint.Udp("0.0.0.0", 0).WithPath(new NetworkPath()), Answer, options).InTime());
        Assert.Equal("udp://0.0.0.0:0 can be reached from other machines, and its NetworkPath hides the addresses of players from bans and limits. Listen at 127.0.0.1, leave WithPath out, or set NetworkPath.AllowRemoteClients.", refused.Message);

        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp("0.0.0.0", 0).WithPath(new NetworkPath { AllowRemoteClients = true }), Answer, options);
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Udp(server.Endpoint.Port), options: options with { RequestTimeout = Deadline.Length });
        Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
    }

    [Theory]
    [InlineData(DebuggableAttribute.DebuggingModes.Default | DebuggableAttribute.DebuggingModes.DisableOptimizations, true)]
    [InlineData(DebuggableAttribute.DebuggingModes.IgnoreSymbolStoreSequencePoints, false)]
    [InlineData(null, false)]
    public void Debug_build_is_one_without_optimization(DebuggableAttribute.DebuggingModes? modes, bool isDebug)
    {
        var program = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Program"), AssemblyBuilderAccess.RunAndCollect);
        if (modes is { } set)
            program.SetCustomAttribute(new CustomAttributeBuilder(typeof(DebuggableAttribute).GetConstructor([typeof(DebuggableAttribute.DebuggingModes)])!, [set]));

        Assert.Equal(isDebug, PathDatagramTransport.IsDebugBuild(program));
        Assert.False(PathDatagramTransport.IsDebugBuild(null));
    }

    [Fact]
    public void Endpoint_without_udp_and_tcp_is_refused()
    {
        var refused = Assert.Throws<ArgumentException>(static () => MessageEndpoint.InProcess("game").WithPath(new NetworkPath()));
        Assert.StartsWith("in-process://game does not use UDP or TCP. Use MessageEndpoint.Udp, MessageEndpoint.Tcp, or", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Failed_connection_names_the_address_of_the_server()
    {
        var options = s_options with { Limits = new HostLimits { HandshakeTimeout = TimeSpan.FromMilliseconds(200) } };
        var failed = await Assert.ThrowsAsync<TransportClosedException>(() => MessageHost.ConnectAsync(MessageEndpoint.Udp(1).WithPath(new NetworkPath { Loss = 1 }), options: options).InTime());
        Assert.StartsWith("Connecting to udp://127.0.0.1:1 over a NetworkPath failed. ", failed.Message, StringComparison.Ordinal);
        Assert.Equal(TransportCloseReason.HandshakeTimeout, failed.Reason);
    }

    [Fact]
    public async Task Port_in_use_is_refused()
    {
        using var other = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        var port = ((IPEndPoint)other.Client.LocalEndPoint!).Port;
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(MessageEndpoint.Udp(port).WithPath(new NetworkPath()), Answer).InTime());
        Assert.StartsWith($"Listening at udp://127.0.0.1:{port} failed: ", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Endpoints_are_equal_with_one_path()
    {
        var path = new NetworkPath();
        Assert.Equal(MessageEndpoint.Udp(1).WithPath(path), MessageEndpoint.Udp(1).WithPath(path));
        Assert.NotEqual(MessageEndpoint.Udp(1).WithPath(path), MessageEndpoint.Udp(1).WithPath(new NetworkPath()));
        Assert.NotEqual(MessageEndpoint.Udp(1), MessageEndpoint.Udp(1).WithPath(path));
        Assert.Equal(MessageEndpoint.Tcp(1).WithPath(path), MessageEndpoint.Tcp(1).WithPath(path));
        Assert.NotEqual(MessageEndpoint.Tcp(1).WithPath(path), MessageEndpoint.Tcp(1).WithPath(new NetworkPath()));
    }

    [Fact]
    public void Values_out_of_range_are_refused()
    {
        var path = new NetworkPath();
        Assert.Throws<ArgumentOutOfRangeException>(() => path.Loss = 1.1);
        Assert.Throws<ArgumentOutOfRangeException>(() => path.Delay = TimeSpan.FromSeconds(11));
        Assert.Throws<ArgumentOutOfRangeException>(() => path.Jitter = TimeSpan.FromSeconds(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => path.BytesPerSecond = -1);
    }

    private static void Answer(MessageHost host) => host.OnRequest(static (Ping ping) => new Pong(ping.Number));

    private static bool IsFree(IPEndPoint at)
    {
        try
        {
            using var socket = new Socket(at.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            socket.Bind(at);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
