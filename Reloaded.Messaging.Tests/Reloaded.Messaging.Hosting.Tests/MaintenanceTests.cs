using System.Collections.Concurrent;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The periodic work of a host, at times of the test.</summary>
public sealed class MaintenanceTests
{
    private const int Hour = 3_600_000; // milliseconds
    private const int Clocks = 100; // milliseconds; more than the difference of the clock here and that of the library for netstandard2.1

    private static readonly TimeSpan s_day = TimeSpan.FromDays(1);
    private static readonly MessageHostOptions s_patient = new() { PingInterval = s_day, KeepAliveTimeout = s_day };

    [Theory]
    [InlineData(400, 100)]
    [InlineData(Hour, 500)]
    public async Task Silent_peer_ends_at_the_next_check_of_all_peers(int pingInterval, int checkInterval)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: new MessageHostOptions { PingInterval = TimeSpan.FromMilliseconds(pingInterval), KeepAliveTimeout = s_day });
        using var silent = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await server.Connection().InTime();
        var now = await server.StopTimerAsync() + Hour;
        server.Tick(now); // checks all peers
        await peer.AddSilenceAsync(2 * s_day);
        peer.Cork(); // the next ticks do the other work of the peer

        server.Tick(now + checkInterval - 1);
        Assert.Null(peer.Disconnected);
        server.Tick(now + checkInterval);

        Assert.Equal(DisconnectReason.NotResponding, peer.Disconnected);
    }

    [Fact]
    public async Task Tick_watches_a_peer_only_while_the_peer_has_work()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: s_patient);
        using var first = await RawPeer.HandshakeAsync(server.Endpoint);
        using var second = await RawPeer.HandshakeAsync(server.Endpoint);
        await Signal.UntilAsync(() => server.Peers.Count == 2);
        var peers = server.Registry.GetAll();
        foreach (var peer in peers)
            await peer.UntilAwaitedAsync();
        var now = await server.StopTimerAsync() + 2 * Hour * 24;
        server.Tick(now); // sends the pings
        foreach (var peer in peers)
            peer.Cork();
        server.Tick(now + 1);
        Assert.All(peers, static peer => Assert.Equal(1, peer.IsWatched));

        peers[0].Uncork();
        server.Tick(now + 2);
        Assert.Same(peers[1], server.Resources.Watched);
        peers[1].Uncork();
        server.Tick(now + 3);

        Assert.Null(server.Resources.Watched);
        Assert.All(peers, static peer => Assert.Equal((0, null), (peer.IsWatched, peer.NextWatched)));
        peers[0].Cork();
        Assert.Same(peers[0], server.Resources.Watched);
    }

    [Fact]
    public async Task Request_ends_at_the_first_tick_after_its_deadline()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: s_patient);
        using var silent = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await server.Connection().InTime();
        await server.StopTimerAsync();
        var before = Environment.TickCount64;
        var request = peer.TryRequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMilliseconds(Hour)).AsTask();
        var after = Environment.TickCount64;

        server.Tick(before + Hour - Clocks); // checks all peers
        Assert.Equal(1, peer.Requests.Unanswered.Count);
        server.Tick(after + Hour + Clocks);

        Assert.Equal(RequestStatus.TimedOut, (await request.InTime()).Status);
        Assert.Equal(1, server.GetStatistics().RequestsTimedOut);
    }

    [Fact]
    public async Task Peer_is_pinged_once_in_an_interval()
    {
        const int Interval = 4000;
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: new MessageHostOptions { PingInterval = TimeSpan.FromMilliseconds(Interval), KeepAliveTimeout = s_day });
        var now = await server.StopTimerAsync() + Hour;
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await (await server.Connection().InTime()).UntilAwaitedAsync();

        server.Tick(now);
        Assert.Equal(ControlCode.Ping, await ReceiveTypeAsync(raw));
        server.Tick(now + Interval - 1);
        await raw.SendAsync(RawPeer.Frame(MessageKind.Control, ControlCode.Ping, 0, 1)); // is watched at the next tick
        Assert.Equal(ControlCode.Pong, await ReceiveTypeAsync(raw));
        server.Tick(now + Interval);

        Assert.Equal(ControlCode.Ping, await ReceiveTypeAsync(raw));
    }

    [Fact]
    public async Task Corked_messages_are_written_at_each_tick()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: s_patient);
        var now = await server.StopTimerAsync();
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await server.Connection().InTime();
        peer.Cork();

        for (var round = 0; round < 3; round++)
        {
            Assert.Equal(SendStatus.Sent, peer.Send(new Pong(round)));
            server.Tick(now += 50);
            var (header, payload) = await raw.ReceiveAsync();
            Assert.Equal((2u, round), (header.Type, BitConverter.ToInt32(payload)));
        }
    }

    [Fact]
    public async Task Channel_that_throws_is_reported_and_the_other_peers_are_checked()
    {
        var endpoint = MessageEndpoint.InProcess($"maintenance-{Guid.NewGuid():N}");
        var failures = new ConcurrentQueue<HandlerFailure>();
        await using var server = Servers.Make(new ThrowingListener(await endpoint.ListenAsync(new TransportContext())), s_patient);
        server.HandlerFailed += failures.Enqueue;
        server.Start();
        await using var first = await MessageHost.ConnectAsync(endpoint, options: s_patient);
        await using var second = await MessageHost.ConnectAsync(endpoint, options: s_patient);
        await Signal.UntilAsync(() => server.Peers.Count == 2);
        var peers = server.Registry.GetAll();
        var now = await server.StopTimerAsync() + Hour;
        foreach (var peer in peers)
            await peer.AddSilenceAsync(2 * s_day);

        server.Tick(now);

        Assert.Equal(DisconnectReason.NotResponding, peers[1].Disconnected);
        Assert.Null(peers[0].Disconnected);
        await Signal.UntilAsync(() => !failures.IsEmpty);
        var failure = Assert.Single(failures);
        Assert.Equal(("unread bytes", peers[0], 0u), (failure.Exception.Message, failure.Peer, failure.Type));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Only_a_server_ends_a_peer_that_does_not_read(bool isServer)
    {
        const int Longest = 1000;
        using var listener = new RawListener();
        var options = s_patient with { KeepAliveTimeout = TimeSpan.FromMilliseconds(Longest), FlushTimeout = TimeSpan.FromMilliseconds(20), Limits = new HostLimits { MaxPendingBytes = 100_000 } };
        var server = isServer ? await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: options) : null;
        var connecting = isServer ? null : MessageHost.ConnectAsync(MessageEndpoint.Tcp(listener.Port), options: options);
        using var raw = isServer ? await RawPeer.HandshakeAsync(server!.Endpoint) : await listener.AcceptAsync();
        if (!isServer)
            await raw.SendAsync([.. RawPeer.Hello(), .. RawPeer.Accept]);
        await using MessageHost host = isServer ? server! : await connecting!.InTime();
        var now = await host.StopTimerAsync();
        var peer = await host.Connection().InTime();
        await peer.UntilAwaitedAsync();
        await peer.FillAsync(new Note(new string('x', 10_000)));
        var start = host.Resources.Clock.Now;

        await Signal.UntilAsync(() =>
        {
            peer.Connection.KeepAlive.LastHeard = host.Resources.Clock.Now; // as if it sent all the time
            host.Tick(now += 500);
            return peer.Disconnected is not null || host.Resources.Clock.Now - start > 3 * Longest;
        });

        Assert.Equal(isServer ? DisconnectReason.NotReading : null, peer.Disconnected);
    }

    [Fact]
    public async Task Idle_peer_ends_after_the_limit_and_not_at_the_limit()
    {
        var (time, handled) = (new ManualTime(), Signal.New<bool>());
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Tcp(0),
            host => host.On((Ping _) => handled.TrySetResult(true)),
            s_patient with { TimeProvider = time, IdleTimeout = TimeSpan.FromMinutes(1) });
        var now = await server.StopTimerAsync();
        using var first = await RawPeer.HandshakeAsync(server.Endpoint);
        using var second = await RawPeer.HandshakeAsync(server.Endpoint);
        await Signal.UntilAsync(() => server.Peers.Count == 2);
        var peers = server.Registry.GetAll(); // are checked in this order
        time.Advance(TimeSpan.FromSeconds(1));
        await first.SendAsync(RawPeer.Event(new Ping(1)));
        await handled.Task.InTime();
        foreach (var peer in peers)
            await peer.UntilAwaitedAsync();

        time.Advance(TimeSpan.FromMinutes(1));
        await TickUntilClosingAsync(peers[1]);
        Assert.Equal(ConnectionState.Open, peers[0].Connection.State);
        time.Advance(new TimeSpan(1));
        await TickUntilClosingAsync(peers[0]);

        Task TickUntilClosingAsync(Peer peer) => Signal.UntilAsync(() =>
        {
            server.Tick(now += 500);
            return peer.Connection.State > ConnectionState.Open;
        });
    }

    [Fact]
    public async Task Peer_is_not_idle_after_a_handler_that_took_longer_than_the_limit()
    {
        using var goesOn = new ManualResetEventSlim();
        var (time, begun, handled) = (new ManualTime(), Signal.New<bool>(), Signal.New<bool>());
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), host => host.On((Ping ping) =>
        {
            (ping.Number == 1 ? begun : handled).TrySetResult(true);
            if (ping.Number == 1)
                goesOn.WaitInTime();
        }), s_patient with { TimeProvider = time, IdleTimeout = TimeSpan.FromMinutes(1) });
        var now = await server.StopTimerAsync();
        using var first = await RawPeer.HandshakeAsync(server.Endpoint);
        using var second = await RawPeer.HandshakeAsync(server.Endpoint);
        await UntilConnectedAsync(2);
        await first.SendAsync([.. RawPeer.Event(new Ping(1)), .. RawPeer.Event(new Ping(2))]); // in one block
        await begun.Task.InTime();
        time.Advance(TimeSpan.FromSeconds(30));
        using var third = await RawPeer.HandshakeAsync(server.Endpoint);
        await UntilConnectedAsync(3);
        var peers = server.Registry.GetAll(); // are checked in this order
        await Task.WhenAll(peers[1].UntilAwaitedAsync(), peers[2].UntilAwaitedAsync());

        time.Advance(TimeSpan.FromSeconds(31));
        await TickUntilClosingAsync(peers[1]); // the first one works
        goesOn.Set();
        await handled.Task.InTime();
        await peers[0].UntilAwaitedAsync();
        time.Advance(TimeSpan.FromSeconds(30));
        await TickUntilClosingAsync(peers[2]);

        Assert.Equal(ConnectionState.Open, peers[0].Connection.State);

        Task UntilConnectedAsync(int count) => Signal.UntilAsync(() => server.Peers.Count == count);

        Task TickUntilClosingAsync(Peer peer) => Signal.UntilAsync(() =>
        {
            server.Tick(now += 500);
            return peer.Connection.State > ConnectionState.Open;
        });
    }

    [Fact]
    public async Task Sessions_are_checked_in_the_tick_by_the_clock_of_the_system()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: s_patient with { IdleTimeout = TimeSpan.FromMilliseconds(1) });
        var now = await server.StopTimerAsync();
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await server.Connection().InTime();
        await peer.UntilAwaitedAsync();
        await Signal.UntilAsync(() => peer.RateLimit!.Idle > TimeSpan.FromMilliseconds(1));

        server.Tick(now + Hour);

        Assert.True(peer.Connection.State > ConnectionState.Open);
    }

    [Fact]
    public async Task Clock_of_the_program_that_blocks_stops_no_tick_and_later_checks_follow()
    {
        using var time = new BlockingTime();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: s_patient with { TimeProvider = time, IdleTimeout = s_day });
        var now = await server.StopTimerAsync();
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await (await server.Connection().InTime()).UntilAwaitedAsync();

        for (var round = 0; round < 2; round++)
        {
            time.Gate.Reset();
            await TickUntilAsync(() => time.Blocked == 1);
            for (var tick = 0; tick < 10; tick++)
            {
                server.Tick(now += 500);
                await Task.Run(static () => { }); // another check would begin before this
            }

            Assert.Equal(1, time.Blocked); // one check at a time
            time.Gate.Set();
            await Signal.UntilAsync(() => time.Blocked == 0);
        }

        Task TickUntilAsync(Func<bool> condition) => Signal.UntilAsync(() =>
        {
            server.Tick(now += 500);
            return condition();
        });
    }

    [Fact]
    public void Login_is_overdue_after_the_limit_from_its_beginning_on()
    {
        var (time, login, limit) = (new ManualTime(), new LoginProgress(), TimeSpan.FromSeconds(5));
        time.Advance(2 * limit);
        Assert.False(login.IsOverdue(time, limit));

        login.Begin(time);
        time.Advance(limit);
        Assert.False(login.IsOverdue(time, limit));
        time.Advance(new TimeSpan(1));

        Assert.True(login.IsOverdue(time, limit));
    }

    private static async Task<uint> ReceiveTypeAsync(RawPeer peer) => (await peer.ReceiveAnyAsync()).Header.Type;

    /// <summary>The first channel throws when it is asked for unread bytes.</summary>
    private sealed class ThrowingListener(TransportListener inner) : TransportListener
    {
        private bool _hasThrowing;

        public override TransportAddress Address => inner.Address;

        public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
        {
            var channel = await inner.AcceptAsync(cancellationToken);
            if (channel is null || _hasThrowing)
                return channel;
            _hasThrowing = true;
            return new ThrowingChannel(channel);
        }

        public override ValueTask DisposeAsync() => inner.DisposeAsync();
    }

    private sealed class ThrowingChannel(TransportChannel inner) : TransportChannel
    {
        public override string RemoteName => inner.RemoteName;

        public override bool HasUnread => throw new InvalidOperationException("unread bytes");

        public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) => inner.SendAsync(frames, cancellationToken);

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => inner.ReceiveAsync(buffer, cancellationToken);

        public override void Abort() => inner.Abort();

        public override ValueTask DisposeAsync() => inner.DisposeAsync();
    }

    /// <summary>The clock of the system, which waits while its gate is closed.</summary>
    private sealed class BlockingTime : TimeProvider, IDisposable
    {
        private int _blocked;

        public ManualResetEventSlim Gate { get; } = new(initialState: true);

        public int Blocked => Volatile.Read(ref _blocked);

        public override long GetTimestamp()
        {
            Interlocked.Increment(ref _blocked);
            Gate.WaitInTime();
            Interlocked.Decrement(ref _blocked);
            return base.GetTimestamp();
        }

        public void Dispose() => Gate.Dispose();
    }
}
