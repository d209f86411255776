using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The periodic work of a host.</summary>
public sealed class TickTests
{
    [Fact]
    public async Task PeerDisconnected_handler_that_waits_does_not_stop_the_ends_of_other_peers_and_timeouts()
    {
        using var gate = new ManualResetEventSlim();
        var entered = Signal.New<bool>();
        var options = new MessageHostOptions { KeepAliveTimeout = TimeSpan.FromSeconds(20), PingInterval = TimeSpan.FromMilliseconds(50) };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: options);
        using var first = await RawPeer.HandshakeAsync(server.Endpoint);
        using var second = await RawPeer.HandshakeAsync(server.Endpoint);
        using var third = await RawPeer.HandshakeAsync(server.Endpoint);
        await Signal.UntilAsync(() => server.Peers.Count == 3);
        var peers = server.Peers.OrderBy(peer => peer.Id).ToList();
        server.PeerDisconnected += (_, _) =>
        {
            entered.TrySetResult(true);
            gate.Wait(Deadline.Length * 2);
        };

        try
        {
            var request = peers[2].TryRequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromSeconds(2)).AsTask();
            await peers[0].AddSilenceAsync(2 * options.KeepAliveTimeout);
            await entered.Task.InTime();
            await peers[1].AddSilenceAsync(2 * options.KeepAliveTimeout);

            await Signal.UntilAsync(() => server.GetCount(DisconnectReason.NotResponding) >= 2);
            Assert.Equal(RequestStatus.TimedOut, (await request.InTime()).Status);
        }
        finally
        {
            gate.Set();
        }
    }

    [Fact]
    public async Task Tick_that_throws_is_reported_and_requests_still_time_out()
    {
        var time = new FailingTime();
        var options = new MessageHostOptions { IdleTimeout = TimeSpan.FromHours(1), TimeProvider = time };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: options);
        using var silent = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await server.Connection().InTime();
        await peer.UntilAwaitedAsync();
        var reported = Signal.New<HandlerFailure>();
        server.HandlerFailed += failure => reported.TrySetResult(failure);

        time.Fails = true;
        var failure = await reported.Task.InTime();
        var request = peer.TryRequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMilliseconds(100)).AsTask();

        Assert.Equal(RequestStatus.TimedOut, (await request.InTime()).Status);
        Assert.Equal(("a clock that fails", peer, 0u), (failure.Exception.Message, failure.Peer, failure.Type));
        Assert.True(server.GetStatistics().HandlerFailures > 0);
        time.Fails = false;
    }

    [Fact]
    public async Task Late_tick_does_not_end_a_peer_that_this_process_had_no_time_to_read()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        var peer = await hosts.Server.Connection().InTime();
        await peer.UntilAwaitedAsync();

        hosts.Server.Tick(Environment.TickCount64 + 3_600_000);

        Assert.True(peer.IsConnected);
        Assert.Equal(new Pong(1), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
        Assert.Equal(0, hosts.Server.GetCount(DisconnectReason.NotResponding));
    }

    [Fact]
    public async Task Peer_whose_handshake_is_not_complete_is_not_pinged()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var silent = await RawPeer.ConnectAsync(server.Endpoint);
        await Signal.UntilAsync(() => server.Registry.Count > 0);
        var peer = Assert.Single(server.Registry.GetAll());

        server.Registry.Connect(peer); // as the server does before it sends the last hello
        server.Tick(Environment.TickCount64 + 3_600_000);

        Assert.True(peer.Connection.KeepAlive.IsPingDue(Environment.TickCount64, 3_600_000)); // no ping was sent
    }

    [Fact]
    public async Task Tick_watches_only_peers_with_corked_messages_requests_or_no_ping()
    {
        var options = new MessageHostOptions { PingInterval = TimeSpan.FromHours(1), KeepAliveTimeout = TimeSpan.FromHours(2) };
        var reply = Signal.New<Pong>();
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping _) => reply.Task), options: options);
        var peer = await hosts.Server.Connection().InTime();
        await Signal.UntilAsync(() => peer.RoundTripTime > TimeSpan.Zero && hosts.Client.Server.RoundTripTime > TimeSpan.Zero);
        await Signal.UntilAsync(() => hosts.Server.Resources.Watched is null && hosts.Client.Resources.Watched is null);

        peer.Cork();
        hosts.Server.Tick(Environment.TickCount64);
        AssertSingle(hosts.Server.Resources.Watched);
        peer.Uncork();
        await Signal.UntilAsync(() => hosts.Server.Resources.Watched is null);

        var request = hosts.Client.RequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromHours(1)).AsTask();
        hosts.Client.Tick(Environment.TickCount64);
        AssertSingle(hosts.Client.Resources.Watched);
        reply.SetResult(new Pong(1));
        Assert.Equal(new Pong(1), await request.InTime());
    }

    [Fact]
    public async Task Tick_of_a_host_whose_peers_stay_allocates_nothing()
    {
        var options = new MessageHostOptions { PingInterval = TimeSpan.FromHours(1), KeepAliveTimeout = TimeSpan.FromHours(2) };
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), options: options);
        var peer = await hosts.Server.Connection().InTime();
        await Signal.UntilAsync(() => peer.RoundTripTime > TimeSpan.Zero);

        Assert.Equal(0, Allocation.OfThousand(() => hosts.Server.Tick(Environment.TickCount64)));
    }

    [Theory]
    [InlineData(6, true)] // seconds
    [InlineData(3600, false)]
    public async Task Ping_of_a_peer_is_answered_together_with_a_ping_that_is_due_soon(int interval, bool isDueSoon)
    {
        var options = new MessageHostOptions { PingInterval = TimeSpan.FromSeconds(interval), KeepAliveTimeout = TimeSpan.FromHours(2) };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), null, options);
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        Assert.Equal(ControlCode.Ping, await ReceiveTypeAsync(raw)); // the first ping, which is always due
        var ping = RawPeer.Frame(MessageKind.Control, ControlCode.Ping, 0, 1, 2, 3);
        await Task.Delay(isDueSoon ? 3_050 : 0); // half of the interval

        await raw.SendAsync(ping);
        Assert.Equal(ControlCode.Pong, await ReceiveTypeAsync(raw));
        if (isDueSoon)
            Assert.Equal(ControlCode.Ping, await ReceiveTypeAsync(raw));
        await raw.SendAsync(ping);

        Assert.Equal(ControlCode.Pong, await ReceiveTypeAsync(raw));
    }

    private static void AssertSingle(Peer? watched)
    {
        Assert.NotNull(watched);
        Assert.Null(watched.NextWatched);
    }

    private static async Task<uint> ReceiveTypeAsync(RawPeer peer) => (await peer.ReceiveAnyAsync()).Header.Type;

    private sealed class FailingTime : TimeProvider
    {
        public volatile bool Fails;

        public override long GetTimestamp() => Fails ? throw new InvalidOperationException("a clock that fails") : base.GetTimestamp();
    }
}
