using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The events of hosts, and the objects that they pass to handlers.</summary>
public sealed class ListenerTests
{
    private static int s_names;

    [Fact]
    public async Task A_listener_that_throws_harms_nobody_and_is_counted()
    {
        await using var server = await MessageHost.ListenAsync(NewEndpoint(), server =>
        {
            server.PeerConnected += _ => throw new InvalidOperationException();
            server.PeerDisconnected += (_, _) => throw new InvalidOperationException();
            server.HandlerFailed += _ => throw new InvalidOperationException();
            server.OnRequest((Ping ping) => new Pong(ping.Number));
        });
        await using (var client = await MessageHost.ConnectAsync(server.Endpoint))
            Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());

        await Signal.UntilAsync(() => server.GetStatistics().HandlerFailures == 4);
        await using var next = await MessageHost.ConnectAsync(server.Endpoint);
        Assert.Equal(new Pong(2), await next.RequestAsync<Ping, Pong>(new Ping(2)).AsTask().InTime());
    }

    [Fact]
    public async Task Hosts_of_a_blocked_thread_connect_reply_and_end()
    {
        var endpoint = NewEndpoint();
        MessageServer? server = null;
        MessageClient? client = null;
        await BlockedThread.RunAsync(() => server = MessageHost.ListenAsync(endpoint, static host => host.OnRequest((Ping ping) => new Pong(ping.Number))).GetAwaiter().GetResult());
        await BlockedThread.RunAsync(() => client = MessageHost.ConnectAsync(endpoint).GetAwaiter().GetResult());

        await BlockedThread.RunAsync(() => Assert.Equal(new Pong(1), client!.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().GetAwaiter().GetResult()));

        await BlockedThread.RunAsync(() => client!.DisposeAsync().AsTask().GetAwaiter().GetResult());
        await BlockedThread.RunAsync(() => server!.DisposeAsync().AsTask().GetAwaiter().GetResult());
    }

    [Fact]
    public async Task A_transport_that_stops_listening_is_counted()
    {
        var server = Servers.Make(new EndedListener(), new MessageHostOptions());
        server.Start();

        await Signal.UntilAsync(() => server.GetStatistics().FailedAccepts == 1);
        await Signal.UntilAsync(() => !server.IsListening);

        await server.DisposeAsync();
        Assert.Equal(1, server.GetStatistics().FailedAccepts);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_client_that_has_sent_all_before_it_is_accepted_and_whose_handler_blocks_stops_nobody(bool blocksEvent)
    {
        using var goesOn = new ManualResetEventSlim();
        using var begun = new CountdownEvent(2);
        var server = Servers.Make(new ReadyListener([.. RawPeer.Hello(), .. RawPeer.Accept, .. RawPeer.Event(new Ping(1))]), new MessageHostOptions());
        if (blocksEvent)
            server.PeerConnected += _ => Block();
        else
            server.On((Ping _) => Block());

        server.Start();

        await Deadline.RunAside(() => Assert.True(begun.Wait(Deadline.Length)));
        await server.DisposeAsync().AsTask().InTime();
        goesOn.Set();

        void Block()
        {
            begun.Signal();
            goesOn.WaitInTime();
        }
    }

    [Fact]
    public async Task A_peer_that_is_sent_away_as_it_connects_is_announced_first_and_its_end_after()
    {
        await using var server = await MessageHost.ListenAsync(NewEndpoint(), server =>
        {
            server.PeerConnected += peer => peer.DisconnectAsync();
        });
        var diary = server.Diary();
        var gone = server.Disconnection();

        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        Assert.Equal(DisconnectReason.Requested, await gone.InTime());
        await Signal.UntilAsync(() => !client.Server.IsConnected);
        Assert.Equal(["1 connected", "1 Requested"], diary);
        Assert.Empty(server.Peers);
    }

    [Fact]
    public async Task A_broadcast_is_serialized_once()
    {
        var serializer = new Counting();
        var contract = new MessageContract<Note>(90, serializer);
        await using var server = await MessageHost.ListenAsync(NewEndpoint());
        var clients = new List<MessageClient>();
        using var received = new CountdownEvent(4);
        for (var i = 0; i < 4; i++)
            clients.Add(await MessageHost.ConnectAsync(server.Endpoint, client => client.On(contract, (in Note _, Peer _) => received.Signal())));
        await Signal.UntilAsync(() => server.Peers.Count == 4);

        Assert.Equal(4, server.AllPeers.Broadcast(contract, new Note("once")));

        await Deadline.RunAside(() => Assert.True(received.Wait(Deadline.Length)));
        Assert.Equal(1, serializer.Calls);
        foreach (var client in clients)
            await client.DisposeAsync();
    }

    [Fact]
    public async Task A_handler_that_throws_for_one_peer_does_not_reach_another()
    {
        await using var hosts = await HostPair.ConnectAsync(NewEndpoint(), server => server.OnRequest((Ping ping) =>
            ping.Number < 0 ? throw new InvalidOperationException() : new Pong(ping.Number)));
        await using var good = await MessageHost.ConnectAsync(hosts.Server.Endpoint);

        for (var i = 1; i <= 100; i++)
        {
            var failing = hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(-i)).AsTask();
            Assert.Equal(new Pong(i), await good.RequestAsync<Ping, Pong>(new Ping(i)).AsTask().InTime());
            Assert.Equal(RequestStatus.Faulted, (await failing.InTime()).Status);
        }

        Assert.Equal(100, hosts.Server.GetStatistics().HandlerFailures);
        Assert.True(hosts.Client.Server.IsConnected);
    }

    [Fact]
    public async Task Options_that_are_refused_leave_nothing_open()
    {
        var wrong = new MessageHostOptions { Token = new byte[1] };
        MessageEndpoint endpoint;
        await using (var first = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0)))
            endpoint = first.Endpoint;

        await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(endpoint, options: wrong));

        await using var server = await MessageHost.ListenAsync(endpoint);
        await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ConnectAsync(endpoint, options: wrong));
        Assert.Empty(server.Peers);
    }

    private static MessageEndpoint NewEndpoint() => MessageEndpoint.InProcess($"listeners-{Interlocked.Increment(ref s_names)}");

    private sealed class Counting : IMessageSerializer<Note>
    {
        public int Calls;

        public string Name => "counting";

        public void Serialize(in Note value, MessageBuffer buffer)
        {
            Interlocked.Increment(ref Calls);
            buffer.WriteString(value.Text);
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, [System.Diagnostics.CodeAnalysis.MaybeNullWhen(false)] out Note value)
        {
            value = new Note("");
            return true;
        }
    }

    /// <summary>Accepts two clients whose bytes are all there.</summary>
    private sealed class ReadyListener(byte[] bytes) : TransportListener
    {
        private int _accepted;

        public override TransportAddress Address { get; } = new(InProcessTransport.Instance, "ready", 0);

        public override ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) => new(_accepted++ < 2 ? new ReadyChannel(bytes) : null);

        public override ValueTask DisposeAsync() => default;
    }

    private sealed class ReadyChannel(byte[] bytes) : TransportChannel
    {
        private readonly TaskCompletionSource<int> _end = Signal.New<int>();
        private bool _isRead;

        public override string RemoteName => "ready";

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
        {
            if (_isRead)
                return new ValueTask<int>(_end.Task);
            _isRead = true;
            bytes.CopyTo(buffer);
            return new ValueTask<int>(bytes.Length);
        }

        public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) => default;

        public override void Abort() => _end.TrySetResult(0);

        public override ValueTask DisposeAsync()
        {
            Abort();
            return default;
        }
    }

    private sealed class EndedListener : TransportListener
    {
        public override TransportAddress Address { get; } = new(InProcessTransport.Instance, "ended", 0);

        public override ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) => default;

        public override ValueTask DisposeAsync() => default;
    }
}
