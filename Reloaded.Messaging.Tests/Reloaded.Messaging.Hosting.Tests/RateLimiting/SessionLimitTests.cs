using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.RateLimiting;

public sealed class SessionLimitTests
{
    private readonly ManualTime _time = new();

    [Fact]
    public async Task Who_is_kicked_hears_why()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        var peer = await server.Connection().InTime();
        var (gone, told) = (client.Disconnection(), server.Disconnection());
        var group = new PeerGroup(server);
        group.Join(peer);

        await Assert.ThrowsAsync<ArgumentException>(() => peer.KickAsync(new string('x', 1025)));
        await peer.KickAsync("You built in the lava. Ä").InTime();

        Assert.Equal((DisconnectReason.Goodbye, DisconnectReason.Kicked), (await gone.InTime(), await told.InTime()));
        Assert.Equal((DisconnectReason.Kicked, "You built in the lava. Ä"), (client.Server.GoodbyeReason, client.Server.GoodbyeText));
        Assert.Equal((1, 0), (server.GetCount(DisconnectReason.Kicked), group.Count));
    }

    [Fact]
    public async Task Kicking_again_does_not_cut_the_first_goodbye_off()
    {
        var limits = new HostLimits { MaxPendingBytes = 100_000 };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: new MessageHostOptions { Limits = limits });
        var connection = server.Connection();
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await connection.InTime();
        await peer.FillAsync(new Note(new string('x', 10_000))); // the goodbye waits behind it until somebody reads

        var kicking = Task.WhenAll(peer.KickAsync("first"), peer.KickAsync("second"), peer.DisconnectAsync());
        var received = (await raw.ReceiveToEndAsync()).ToArray();
        await kicking.InTime();

        Assert.True(received.AsSpan().EndsWith("first"u8));
    }

    [Theory]
    [InlineData(new byte[] { }, null, null)]
    [InlineData(new byte[] { 20 }, DisconnectReason.TooManyMessages, null)]
    [InlineData(new byte[] { 0, 65, 66 }, DisconnectReason.Requested, "AB")]
    [InlineData(new byte[] { 200, 65 }, null, "A")]
    [InlineData(new byte[] { 0, 0xFF, 0xFE }, DisconnectReason.Requested, null)]
    public async Task What_a_goodbye_says_is_a_reason_and_text_or_left_out(byte[] payload, DisconnectReason? reason, string? text)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        var connection = server.Connection();
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await connection.InTime();
        var gone = server.Disconnection();

        await raw.SendAsync(RawPeer.Frame(MessageKind.Control, 3, 0, payload));

        Assert.Equal(DisconnectReason.Goodbye, await gone.InTime());
        Assert.Equal((reason, text), (peer.GoodbyeReason, peer.GoodbyeText));
    }

    [Theory]
    [InlineData(50, null, DisconnectReason.TooManyMessages, 50)]
    [InlineData(null, 500, DisconnectReason.TooManyBytes, 100)] // of five bytes each
    [InlineData(1000, 500, DisconnectReason.TooManyBytes, 100)]
    public async Task Who_sends_too_much_is_disconnected(int? messages, int? bytes, DisconnectReason expected, int handled)
    {
        var received = new List<int>();
        await using var server = await ListenAsync(received, new HostLimits { MessagesPerSecond = messages, BytesPerSecond = bytes });
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        var gone = server.Disconnection();

        await raw.SendAsync(Pings(200));

        Assert.Equal(expected, await gone.InTime());
        Assert.Equal(1, server.GetCount(expected));
        Assert.Equal(Enumerable.Range(0, handled), received);
    }

    [Fact]
    public async Task What_is_too_much_is_dropped_and_counted_where_that_is_the_rule()
    {
        var received = new List<int>();
        await using var server = await ListenAsync(received, new HostLimits { MessagesPerSecond = 50, OverflowAction = OverflowAction.Drop });
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);

        await raw.SendAsync(Pings(200));
        await Signal.UntilAsync(() => server.GetStatistics().OverMessageRate == 150);
        _time.Advance(TimeSpan.FromMilliseconds(200));
        await raw.SendAsync(Pings(20, from: 1000));
        await Signal.UntilAsync(() => server.GetStatistics().OverMessageRate == 160);

        Assert.Equal([.. Enumerable.Range(0, 50), .. Enumerable.Range(1000, 10)], received);
        Assert.Equal((0, 1), (server.GetStatistics().OverByteRate, server.Peers.Count));
    }

    [Fact]
    public async Task Who_is_silent_for_too_long_is_disconnected_and_pings_are_no_speech()
    {
        var received = new List<int>();
        await using var server = await ListenAsync(received, HostLimits.Default, TimeSpan.FromMinutes(1));
        await using var idle = await MessageHost.ConnectAsync(server.Endpoint, options: new MessageHostOptions { PingInterval = TimeSpan.FromMilliseconds(1) });
        await using var busy = await MessageHost.ConnectAsync(server.Endpoint);
        await Signal.UntilAsync(() => server.Peers.Count == 2 && idle.Server.RoundTripTime > TimeSpan.Zero);
        var gone = idle.Disconnection();

        _time.Advance(TimeSpan.FromSeconds(50));
        busy.Send(new Ping(1));
        await Signal.UntilAsync(() => received.Count == 1);
        _time.Advance(TimeSpan.FromSeconds(20));

        Assert.Equal(DisconnectReason.Goodbye, await gone.InTime());
        Assert.Equal("No event and no request arrived within IdleTimeout.", idle.Server.GoodbyeText);
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.Idle) == 1);
        Assert.True(busy.Server.IsConnected);
    }

    [Theory]
    [InlineData("request of the peer")]
    [InlineData("unpumped request of the peer")]
    [InlineData("unpumped event of the peer")]
    [InlineData("running event of the peer")]
    [InlineData("request of the host")]
    [InlineData("stream of the host")]
    [InlineData("stream of the peer")]
    [InlineData("unread stream of the peer")]
    public async Task Peer_with_work_in_progress_is_not_idle_until_some_time_after_its_end(string work)
    {
        var isUnread = work.StartsWith("unread", StringComparison.Ordinal);
        var isUnpumped = work.StartsWith("unpumped", StringComparison.Ordinal);
        var isEvent = work.Contains("event", StringComparison.Ordinal);
        var ends = Signal.New<bool>();
        var options = new MessageHostOptions { TimeProvider = _time, IdleTimeout = TimeSpan.FromMinutes(1), KeepAliveTimeout = TimeSpan.FromHours(1), RequestTimeout = TimeSpan.FromHours(1), IsPumped = isUnpumped || isEvent };
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), Configure, Configure, serverOptions: options, clientOptions: new MessageHostOptions { RequestTimeout = TimeSpan.FromHours(1) });
        var peer = await hosts.Server.Connection().InTime();
        var other = await MessageHost.ConnectAsync(hosts.Server.Endpoint); // ends as idle, which shows that the sessions were checked
        var gone = other.Disconnection();
        await Signal.UntilAsync(() => hosts.Server.Peers.Count == 2);
        var from = work.EndsWith("peer", StringComparison.Ordinal) ? hosts.Client.Server : peer;
        Func<Task> working;
        if (isEvent)
        {
            from.Send(new Pong(1));
            await Signal.UntilAsync(() => hosts.Server.Inbox is { Count: 1 });
            var pumping = isUnpumped ? null : Task.Run(() => hosts.Server.Pump());
            working = () => pumping ?? Task.Run(() => hosts.Server.Pump());
            await Signal.UntilAsync(() => isUnpumped || hosts.Server.Inbox is { Count: 0 });
        }
        else if (work.Contains("request", StringComparison.Ordinal))
        {
            var request = from.RequestAsync<Ping, Pong>(new Ping(1)).AsTask();
            working = () => isUnpumped ? Signal.UntilAsync(IsDoneAfterPump) : request;
            await Signal.UntilAsync(() => peer.HasWork || from == peer || hosts.Server.Inbox is { Count: 1 });

            bool IsDoneAfterPump()
            {
                hosts.Server.Pump();
                return request.IsCompleted;
            }
        }
        else
        {
            var items = from.StreamAsync<Note, Pong>(new Note("")).GetAsyncEnumerator();
            Assert.True(await items.MoveNextAsync().AsTask().InTime());
            if (isUnread)
                await Signal.UntilAsync(() => peer.RunningHandlers == 0); // the client has as many blocks as it requests in advance
            var next = isUnread ? null : items.MoveNextAsync().AsTask();
            working = () => next ?? items.DisposeAsync().AsTask();
        }

        await PassUntilAsync(gone).InTime();
        Assert.True(peer.IsConnected);

        ends.SetResult(true);
        await working().InTime();
        await PassUntilAsync(hosts.Client.Disconnection()).InTime();
        await other.DisposeAsync();

        async Task PassUntilAsync(Task ended)
        {
            while (!ended.IsCompleted) // a last message, or the end of a handler, may begin the idle time again
            {
                _time.Advance(TimeSpan.FromMinutes(2));
                await Task.WhenAny(ended, Task.Delay(1000));
            }
        }

        void Configure(MessageHost host)
        {
            host.OnRequest<Ping, Pong>(async (_, _, _) =>
            {
                await ends.Task;
                return default;
            });
            host.OnStream<Note, Pong>((_, _, _) => ItemsAsync());
            host.On((in Pong _, Peer _) => ends.Task.Wait());
        }

        async IAsyncEnumerable<Pong> ItemsAsync()
        {
            do
                yield return default;
            while (isUnread && !ends.Task.IsCompleted);
            await ends.Task;
        }
    }

    [Fact]
    public async Task Bots_that_flood_send_garbage_never_read_or_vanish_are_ended_by_their_rules_and_the_others_miss_nothing()
    {
        const int Others = 3, Each = 300;
        var received = new List<int>[Others];
        var limits = new HostLimits { MessagesPerSecond = 500, MaxPendingBytes = 100_000, MaxMalformedMessages = 4 };
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Tcp(0),
            server => server.OnRequest((Ping ping) => new Pong(ping.Number)),
            new MessageHostOptions { Limits = limits, TimeProvider = _time, KeepAliveTimeout = TimeSpan.FromHours(1) });
        var good = new List<MessageClient>();
        for (var i = 0; i < Others; i++)
        {
            var numbers = received[i] = [];
            good.Add(await MessageHost.ConnectAsync(server.Endpoint, client => client.On((in Pong pong, Peer _) => numbers.Add(pong.Number))));
        }

        await Signal.UntilAsync(() => server.AllPeers.Count == Others);
        var players = new PeerGroup(server);
        foreach (var peer in server.AllPeers)
            players.Join(peer);
        using var flooding = await RawPeer.HandshakeAsync(server.Endpoint);
        using var garbage = await RawPeer.HandshakeAsync(server.Endpoint);
        using var stuffed = await RawPeer.HandshakeAsync(server.Endpoint);
        using var vanishing = await RawPeer.HandshakeAsync(server.Endpoint);
        await Signal.UntilAsync(() => server.AllPeers.Count == Others + 4);
        var (full, unread) = (0, server.AllPeers);

        for (var i = 0; i < Each; i++)
        {
            if (i == 50)
                await flooding.SendAsync(Pings(1000));
            if (i == 100)
                await garbage.SendAsync([.. Enumerable.Repeat(RawPeer.Frame(MessageKind.Request, 1, 0, 0xFF), 5).SelectMany(frame => frame)]);
            if (i == 150)
                vanishing.Kill();
            var before = unread.Count;
            full += before - unread.Broadcast(new Note(new string('x', 20_000)));
            Assert.Equal(Others, players.Broadcast(new Pong(i)));
            foreach (var client in good)
                Assert.Equal(new Pong(i), await client.RequestAsync<Ping, Pong>(new Ping(i)).AsTask().InTime()); // and so has read all up to here
        }

        await Signal.UntilAsync(() => server.AllPeers.Count == Others + 1);
        Assert.Equal((1, 1, 1), (server.GetCount(DisconnectReason.TooManyMessages), server.GetCount(DisconnectReason.Malformed), server.GetCount(DisconnectReason.ConnectionLost)));
        Assert.InRange(full, 1, Each * 4);
        Assert.All(received, numbers => Assert.Equal(Enumerable.Range(0, Each), numbers));
        foreach (var client in good)
            await client.DisposeAsync();
    }

    private static byte[] Pings(int count, int from = 0) =>
        [.. Enumerable.Range(from, count).SelectMany(number => RawPeer.Frame(MessageKind.Event, 1, 0, BitConverter.GetBytes(number)))];

    private Task<MessageServer> ListenAsync(List<int> received, HostLimits limits, TimeSpan? idle = null) => MessageHost.ListenAsync(
        MessageEndpoint.Tcp(0),
        server => server.On((in Ping ping, Peer _) => received.Add(ping.Number)),
        new MessageHostOptions { Limits = limits, TimeProvider = _time, IdleTimeout = idle, PingInterval = TimeSpan.FromHours(1), KeepAliveTimeout = TimeSpan.FromHours(1) });
}
