using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>Hosts over datagrams, on a path that loses nothing.</summary>
public sealed class UdpHostTests
{
    private static readonly byte[] s_secret = [.. Enumerable.Range(0, 32).Select(i => (byte)i)];

    public static TheoryData<string> Kinds => ["plain", "secret", "token", "other keys"];

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Request_of_a_client_receives_its_reply(string kind)
    {
        var received = Signal.New<string>();
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Udp(0),
            server =>
            {
                server.On((in Note note, Peer _) => received.SetResult(note.Text));
                server.OnRequest((Ping ping) => new Pong(ping.Number + 1));
            },
            serverOptions: Make(kind),
            clientOptions: Make(kind));

        Assert.Equal(SendStatus.Sent, hosts.Client.Send(new Note("hello")));
        for (var i = 0; i < 100; i++)
            Assert.Equal(new Pong(i + 1), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(i)).AsTask().InTime());
        Assert.Equal("hello", await received.Task.InTime());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Peer_is_sent_sequenced_events_only_if_it_has_announced_them(bool announces)
    {
        var options = new MessageHostOptions();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), options: options);
        await using var raw = await server.Endpoint.ConnectAsync(options.MakeTransportContext(), default);

        await raw.SendAsync((byte[])[.. RawPeer.Hello(options, announces ? [SequencedEvents.Contract] : []), .. RawPeer.Accept], default);

        Assert.Equal(announces, (await server.Connection().InTime()).Connection.Outbox.IsSequencedReadable);
    }

    [Fact]
    public Task StopAsync_waits_for_a_running_handler_and_refuses_new_requests() => StopTests.StopAmidARequestAsync(MessageEndpoint.Udp(0));

    [Fact]
    public async Task Hello_larger_than_any_datagram_arrives()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Udp(0), KnowMuch, KnowMuch);

        Assert.Equal(new Pong(3), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(3)).AsTask().InTime());

        static void KnowMuch(MessageHost host)
        {
            host.OnRequest((Ping ping) => new Pong(ping.Number));
            for (var i = 0u; i < 3000; i++) // a hello of 200 KB
                host.On(new MessageContract<Note>(1000 + i, MessageContract.GetDeclared<Note>().Serializer), (in Note _, Peer _) => { });
        }
    }

    [Fact]
    public async Task Many_requests_in_flight_each_get_their_own_reply()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Udp(0), server => server.OnRequest((Ping ping) => new Pong(-ping.Number)));

        for (var round = 0; round < 10; round++)
        {
            var replies = await Task.WhenAll(Enumerable.Range(0, 200).Select(i => hosts.Client.RequestAsync<Ping, Pong>(new Ping(i)).AsTask())).InTime();
            Assert.Equal(Enumerable.Range(0, 200).Select(i => new Pong(-i)), replies);
        }
    }

    [Fact]
    public async Task Handler_that_waits_until_all_is_sent_handles_every_event_in_order()
    {
        const int Count = 600; // 600 KB: more than the transport holds unread
        using var mayRun = new ManualResetEventSlim();
        var handled = new List<string>();
        var ended = Signal.New<string>();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), server => server.On((in Note note, Peer _) =>
        {
            mayRun.WaitInTime();
            handled.Add(note.Text[..4]);
            if (handled.Count == Count)
                ended.SetResult("all");
        }));
        server.PeerDisconnected += (_, reason) => ended.TrySetResult(reason.ToString());
        server.Deliver<Note>(DeliveryMode.ReliableOrdered);
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, client => client.Deliver<Note>(DeliveryMode.ReliableOrdered)).InTime();
        var filler = new string('x', 1000);

        for (var i = 0; i < Count; i++)
            Assert.Equal(SendStatus.Sent, await client.SendAsync(new Note($"{i:D4}{filler}")).AsTask().InTime());
        mayRun.Set();

        Assert.Equal("all", await ended.Task.InTime());
        Assert.Equal(Enumerable.Range(0, Count).Select(i => $"{i:D4}"), handled);
    }

    [Theory]
    [InlineData("another secret", "secret")]
    [InlineData("another token", "token")]
    [InlineData("other keys", "secret")]
    [InlineData("plain", "secret")]
    [InlineData("secret", "plain")]
    [InlineData("token", "secret")]
    public async Task Client_with_another_protection_is_refused_with_the_reason_and_counted(string clients, string servers)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), options: Make(servers));

        var refusal = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(server.Endpoint, options: Make(clients)).InTime());

        Assert.Equal(DisconnectReason.WrongProtection, refusal.Reason);
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.WrongProtection) + server.GetCount(DatagramDropReason.WrongProtection) > 0); // once for each time it asked
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: Make(servers)).InTime();
    }

    [Fact]
    public async Task Send_on_a_channel_whose_client_proves_nothing_throws_the_reason()
    {
        var options = Make("secret") with { Limits = new HostLimits { HandshakeTimeout = TimeSpan.FromMilliseconds(100) } };
        await using var listener = await MessageEndpoint.Udp(0).ListenAsync(options.MakeTransportContext());
        using var stranger = new UnauthenticatedClient(listener.Endpoint);
        using var exchange = new KeyExchange(ExchangeSettings.Prepare(options.MakeTransportContext(), isDatagrams: true, isServer: false)!);
        await stranger.SendAsync(exchange.MakeConnect(await stranger.GetCookieAsync()));
        await using var channel = (await listener.AcceptAsync(default).AsTask().InTime())!;

        var failure = await Assert.ThrowsAsync<TransportClosedException>(() => channel.SendAsync(new byte[] { 1, 4 }, default).AsTask().InTime());

        Assert.Equal(TransportCloseReason.HandshakeTimeout, failure.Reason);
    }

    [Fact]
    public async Task End_of_a_connection_is_reported_on_both_sides()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), options: Make("secret"));
        var gone = server.Disconnection();
        var client = await MessageHost.ConnectAsync(server.Endpoint, options: Make("secret")).InTime();
        await server.Connection().InTime();

        await client.DisposeAsync();

        Assert.Equal(DisconnectReason.Goodbye, await gone.InTime());
        Assert.Equal(DisconnectReason.Requested, client.Server.Disconnected);
        await Signal.UntilAsync(() => server.GetStatistics().Peers == 0);
    }

    [Fact]
    public async Task Server_with_fifty_clients_sends_a_goodbye_to_each()
    {
        var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), options: Make("secret"));
        var clients = await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => MessageHost.ConnectAsync(server.Endpoint, options: Make("secret")))).InTime();
        var gone = clients.Select(client => client.Disconnection()).ToArray();

        await server.DisposeAsync().AsTask().InTime();

        Assert.All(await Task.WhenAll(gone).InTime(), reason => Assert.Equal(DisconnectReason.Goodbye, reason));
        foreach (var client in clients)
            await client.DisposeAsync();
    }

    [Fact]
    public async Task Unreliable_event_larger_than_a_datagram_is_refused_with_both_sizes_and_advice()
    {
        var received = Signal.New<string>();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), host => host.On((in Note note, Peer _) => received.SetResult(note.Text)), Make("secret"));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: Make("secret")).InTime();

        var refusal = Assert.Throws<MessageTooLargeException>(() => client.Send(new Note(new string('x', 2000))));
        Assert.Equal(2003, refusal.Size);
        Assert.Contains($"{refusal.Size} bytes", refusal.Message, StringComparison.Ordinal);
        Assert.Contains($"at most {refusal.Limit}.", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("maxFragments of MessageEndpoint.Udp", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("ReliableOrdered", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(0, server.Broadcast(new Note(new string('x', 2000))));

        var largest = new string('x', refusal.Limit - 5); // the type, and the length of the text
        Assert.Equal(SendStatus.Sent, client.Send(new Note(largest)));
        Assert.Equal(largest, await received.Task.InTime());
    }

    [Theory]
    [InlineData(2000)]
    [InlineData(900_000)]
    public async Task Reliable_message_may_span_many_datagrams(int size)
    {
        var heard = Signal.New<string>();
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Udp(0),
            host =>
            {
                Answer(host);
                host.Deliver<Note>(DeliveryMode.ReliableOrdered);
            },
            Make("secret"));
        await using var client = await MessageHost.ConnectAsync(
            server.Endpoint,
            host =>
            {
                host.On((in Note note, Peer _) => heard.SetResult(note.Text));
                host.Deliver<Note>(DeliveryMode.ReliableOrdered);
            },
            Make("secret")).InTime();
        var note = new Note(string.Concat(Enumerable.Range(0, size).Select(static i => (char)('a' + (i % 26)))));

        Assert.Equal(note, await client.RequestAsync<Note, Note>(note).AsTask().InTime());
        Assert.Equal(size, (await client.RequestAsync<Ping, Note>(new Ping(size)).AsTask().InTime()).Text.Length);
        await server.Connection().InTime();
        Assert.Equal(1, server.Broadcast(note));
        Assert.Equal(note.Text, await heard.Task.InTime());
        await Assert.ThrowsAsync<MessageTooLargeException>(() => client.SendAsync(new Note(new string('x', 2_000_000))).AsTask().InTime()); // beyond MaxMessageSize of the host
    }

    [Fact]
    public async Task Large_message_is_divided_if_both_sides_allow_it()
    {
        var options = new MessageHostOptions { Protection = ProtectionOptions.WithSecret(s_secret) };
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Udp(0, maxFragments: 60), Answer, options: options);

        foreach (var size in new[] { 1100, 1200, 5000, 60_000 })
        {
            var note = new Note(string.Concat(Enumerable.Range(0, size).Select(i => (char)('a' + (i % 26)))));
            Assert.Equal(note, await hosts.Client.RequestAsync<Note, Note>(note).AsTask().InTime());
        }

        Assert.Throws<MessageTooLargeException>(() => hosts.Client.Send(new Note(new string('x', 100_000))));
    }

    [Theory]
    [InlineData(DeliveryMode.Unreliable, 60, 60_000)]
    [InlineData(DeliveryMode.Unreliable, 60, 66_000)]
    [InlineData(DeliveryMode.Unreliable, 255, 262_000)]
    [InlineData(DeliveryMode.Sequenced, 255, 262_000)]
    public async Task Divided_event_of_each_size_that_is_sent_arrives(DeliveryMode mode, int maxFragments, int size)
    {
        var heard = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Udp(0, maxFragments),
            host => host.On((in Note note, Peer _) => heard.TrySetResult(note.Text)),
            host => host.Deliver<Note>(mode));
        var note = new Note(string.Concat(Enumerable.Range(0, size).Select(static i => (char)('a' + (i % 26)))));

        var end = Environment.TickCount64 + (long)Deadline.Length.TotalMilliseconds;
        while (!heard.Task.IsCompleted && Environment.TickCount64 < end) // a busy machine may lose an event
        {
            Assert.Equal(SendStatus.Sent, hosts.Client.Send(note));
            await Task.WhenAny(heard.Task, Task.Delay(1000));
        }

        Assert.Equal(note.Text, await heard.Task.InTime());
        Assert.Throws<MessageTooLargeException>(() => hosts.Client.Send(new Note(new string('x', 263_000))));
    }

    [Theory]
    [InlineData("0.0.0.0")]
    [InlineData("::")]
    public async Task Listening_for_other_machines_requires_protection(string everywhere)
    {
        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(MessageEndpoint.Udp(everywhere, 0), options: new MessageHostOptions { Token = s_secret }));
        Assert.Contains("MessageHostOptions.Protection", refusal.Message, StringComparison.Ordinal);

        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(everywhere, 0), options: Make("secret"));
        Assert.InRange(server.Endpoint.Port, 1, 65535);
    }

    [Fact]
    public async Task Peer_that_stops_answering_is_disconnected()
    {
        var options = new MessageHostOptions { PingInterval = TimeSpan.FromMilliseconds(50), KeepAliveTimeout = TimeSpan.FromSeconds(5) };
        await using var proxy = new UdpProxy();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), options: options);
        proxy.Start(server.Endpoint);
        await using var client = await MessageHost.ConnectAsync(proxy.Endpoint, options: options).InTime();
        var (there, here) = (server.Disconnection(), client.Disconnection());
        await Signal.UntilAsync(() => client.Server.RoundTripTime > TimeSpan.Zero);

        proxy.Treat = static (_, _) => []; // the cable is cut

        Assert.True(await there.InTime() is DisconnectReason.NotResponding or DisconnectReason.NotReading); // a server also checks whether its pings are acknowledged, and both times end at once
        Assert.Equal(DisconnectReason.NotResponding, await here.InTime());
    }

    [Fact]
    public async Task Handler_that_blocks_does_not_delay_other_peers()
    {
        using var gate = new ManualResetEventSlim();
        var blocked = Signal.New<bool>();
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Udp(0), server =>
        {
            server.On((in Note _, Peer _) =>
            {
                blocked.SetResult(true);
                gate.WaitInTime();
            });
            server.OnRequest((Ping ping) => new Pong(ping.Number));
        });
        await using var other = await MessageHost.ConnectAsync(hosts.Server.Endpoint).InTime();

        hosts.Client.Send(new Note("block"));
        await blocked.Task.InTime();
        for (var i = 0; i < 100; i++)
            Assert.Equal(new Pong(i), await other.RequestAsync<Ping, Pong>(new Ping(i)).AsTask().InTime());
        var waiting = hosts.Client.RequestAsync<Ping, Pong>(new Ping(7)).AsTask();
        Assert.False(waiting.IsCompleted);
        gate.Set();

        Assert.Equal(new Pong(7), await waiting.InTime());
    }

    [Fact]
    public void Sizes_out_of_range_are_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => MessageEndpoint.Udp(0, maxFragments: 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => MessageEndpoint.Udp(0, maxFragments: 256));
        Assert.Throws<ArgumentOutOfRangeException>(() => MessageEndpoint.Udp(65536));
        Assert.Equal("udp://127.0.0.1:80", MessageEndpoint.Udp(80).ToString());
        Assert.Equal("udp://[::1]:80", MessageEndpoint.Udp("::1", 80).ToString());
    }

    private static void Answer(MessageServer server)
    {
        server.OnRequest((Note note) => note);
        server.OnRequest((Ping ping) => new Note(new string('y', ping.Number)));
    }

    private static MessageHostOptions Make(string kind)
    {
        var (protection, token) = kind switch
        {
            "plain" => (null, null),
            "secret" => (ProtectionOptions.WithSecret(s_secret), null),
            "other keys" => (ProtectionOptions.WithSecret(s_secret, 128), null),
            "another secret" => (ProtectionOptions.WithSecret(new byte[32]), null),
            "token" => (ExchangedKeys.WithToken(), s_secret),
            _ => ((ProtectionOptions?)ExchangedKeys.WithToken(), (byte[]?)new byte[32]),
        };
        return new MessageHostOptions { Protection = protection, Token = token, RequestTimeout = Deadline.Length }; // a busy machine needs seconds for many datagrams
    }
}
