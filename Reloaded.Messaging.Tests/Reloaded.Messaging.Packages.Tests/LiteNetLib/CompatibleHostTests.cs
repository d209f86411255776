using System.Collections.Concurrent;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Transports.LiteNetLib;
using Xunit;

namespace Reloaded.Messaging.Tests.LiteNet;

/// <summary>The peers, events, limits and ends of hosts that connect to programs built on Reloaded.Messaging 2.0.</summary>
public sealed class CompatibleHostTests
{
    private const int Events = 300;

    /// <summary>The number of lost datagrams after which a test lets datagrams through. LiteNetLib sends one again every 30 ms, so this takes longer than the default limit of 1 s.</summary>
    private const int LongEnough = 60;

    private static readonly LiteNetOptions s_patient = new() { Configure = static manager => manager.DisconnectTimeout = 60_000 };

    [Fact]
    public async Task Hosts_connect_broadcast_and_disconnect()
    {
        var (connected, disconnected) = (new ConcurrentQueue<CompatiblePeer>(), new ConcurrentQueue<(CompatiblePeer Peer, DisconnectReason Reason)>());
        await using var server = await ListenAsync(host =>
        {
            host.PeerConnected += connected.Enqueue;
            host.PeerDisconnected += (peer, reason) => disconnected.Enqueue((peer, reason));
            host.On((in Ping ping, CompatiblePeer from) => from.Send(new Pong(ping.Number)));
        });
        var pongs = new ConcurrentQueue<Pong>();
        await using var first = await ConnectAsync(server, host => host.On((Pong pong) => pongs.Enqueue(pong)));
        await using var second = await ConnectAsync(server, host => host.On((Pong pong) => pongs.Enqueue(pong)));
        await Signal.UntilAsync(() => connected.Count == 2); // the event follows the entry in Peers
        Assert.Equal(server.Peers.ToHashSet(), connected.ToHashSet());

        Assert.Equal(SendStatus.Sent, first.Server.Send(new Ping(1)));
        Assert.Equal(2, server.Broadcast(new Pong(2)));
        await Signal.UntilAsync(() => pongs.Count == 3);
        Assert.Equal([1, 2, 2], pongs.Select(static pong => pong.Number).Order());

        await first.DisposeAsync().AsTask().InTime();
        await Signal.UntilAsync(() => server.Peers.Count == 1);
        Assert.Equal(SendStatus.Closed, first.Server.Send(new Ping(3)));
        await server.Peers.Single().DisconnectAsync().InTime();
        await Signal.UntilAsync(() => disconnected.Count == 2);

        Assert.Equal(connected.ToHashSet(), disconnected.Select(static item => item.Peer).ToHashSet());
        Assert.Equal([DisconnectReason.Requested, DisconnectReason.ConnectionLost], disconnected.Select(static item => item.Reason).Order());
        Assert.Throws<InvalidOperationException>(() => server.Server);
    }

    [Fact]
    public async Task Handlers_are_filtered_may_be_asynchronous_and_their_exceptions_are_reported()
    {
        var failures = new ConcurrentQueue<CompatibleFailure>();
        var notes = new ConcurrentQueue<string>();
        var calls = 0;
        await using var server = await ListenAsync(host =>
        {
            host.HandlerFailed += failures.Enqueue;
            host.AddFilter(async call =>
            {
                Interlocked.Increment(ref calls);
                Assert.True(call.TryGetFrom<CompatiblePeer>(out _));
                await call.NextAsync();
            });
            host.On((Ping _) => throw new FormatException());
            host.On(async (Note note, CompatiblePeer _, CancellationToken _) =>
            {
                await Task.Yield();
                notes.Enqueue(note.Text);
                throw new NotSupportedException();
            });
        });
        await using var client = await ConnectAsync(server);

        client.Server.Send(new Ping(1));
        client.Server.Send(new Note("a"));
        await Signal.UntilAsync(() => failures.Count == 2);

        Assert.Equal([(1u, typeof(FormatException)), (3u, typeof(NotSupportedException))], failures.Select(static failure => (failure.Type, failure.Exception.GetType())).Order());
        Assert.Equal((2, "a"), (calls, notes.Single()));
        Assert.Same(server.Peers.Single(), failures.First().Peer);
    }

    [Fact]
    public async Task Handlers_run_in_Poll_of_a_polled_transport()
    {
        var threads = new ConcurrentQueue<int>();
        var transport = new LiteNetTransport(new LiteNetOptions { IsPolled = true });
        await using var server = await CompatibleHost.ListenAsync(transport.At(0), host => host.On((Ping _) => threads.Enqueue(Environment.CurrentManagedThreadId)));
        var connecting = ConnectAsync(server);
        while (!connecting.IsCompleted || server.Peers.Count == 0)
        {
            transport.Poll();
            await Task.Delay(1);
        }

        await using var client = await connecting;
        client.Server.Send(new Ping(1));
        await Task.Run(() => Until(transport, () => threads.Count == 1)).InTime(); // the first receive begins on the thread pool
        client.Server.Send(new Ping(2));
        var polling = await Task.Run(() => Until(transport, () => threads.Count == 2)).InTime();

        Assert.Equal(polling, threads.Last());
    }

    [Fact]
    public async Task Sends_beyond_the_limit_are_refused_or_wait_and_all_accepted_events_arrive_in_order()
    {
        var arrived = new ConcurrentQueue<byte>();
        await using var server = await ListenAsync(host => host.On((in Snapshot snapshot, CompatiblePeer _) => arrived.Enqueue(snapshot.Bytes[0])));
        await using var client = await ConnectAsync(server, flushTimeout: Deadline.Length);
        var (status, sent) = (SendStatus.Sent, 0);
        for (; status == SendStatus.Sent && sent < 100; sent++)
            status = client.Server.Send(Numbered(sent));
        Assert.Equal(SendStatus.Full, status);
        sent--;

        Assert.Equal(SendStatus.Sent, await client.Server.SendAsync(Numbered(sent++)).AsTask().InTime());
        await client.DisposeAsync().AsTask().InTime();
        await Signal.UntilAsync(() => arrived.Count == sent); // LiteNetLib may acknowledge a message before its handler runs

        Assert.Equal(Enumerable.Range(0, sent), arrived.Select(static number => (int)number));
        Assert.Equal(0, client.LostMessages);
    }

    [Fact]
    public async Task Wait_for_room_ends_by_its_token_and_by_the_disconnect()
    {
        const int Accepted = 10; // LiteNetLib has one message, one waits for it, and eight wait in 4 MiB
        await using var server = await ListenAsync();
        await using var proxy = new UdpProxy();
        proxy.Start(MessageEndpoint.Udp(server.Endpoint.Port));
        await using var client = await CompatibleHost.ConnectAsync(new LiteNetTransport(s_patient).At(proxy.Endpoint.Port), flushTimeout: TimeSpan.FromMilliseconds(50)).InTime();
        proxy.Treat = static (datagram, isUp) => isUp ? [] : [datagram];
        var accepted = 0;
        await Signal.UntilAsync(() => (accepted += client.Server.Send(Numbered(1)) == SendStatus.Sent ? 1 : 0) == Accepted);

        using var canceled = new CancellationTokenSource();
        var first = client.Server.SendAsync(Numbered(1), canceled.Token).AsTask();
        var second = client.Server.SendAsync(Numbered(1)).AsTask();
        await canceled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first.InTime());
        Assert.False(second.IsCompleted);
        await client.Server.DisconnectAsync().InTime();

        Assert.Equal(SendStatus.Closed, await second.InTime());
        Assert.Equal(Accepted, client.LostMessages);
    }

    [Fact]
    public async Task Program_whose_handlers_run_is_not_read_beyond_their_limit()
    {
        const int Limit = 1024;
        var (running, most, ended) = (0, 0, 0);
        var gate = Signal.New<bool>();
        await using var server = await ListenAsync(host => host.On(async (Ping _) =>
        {
            most = Math.Max(most, Interlocked.Increment(ref running)); // handlers start one after the other
            await gate.Task;
            Interlocked.Decrement(ref running);
            Interlocked.Increment(ref ended);
        }));
        await using var client = await ConnectAsync(server);

        for (var i = 0; i < Limit + 100; i++)
            await client.Server.SendAsync(new Ping(i));
        await Signal.UntilAsync(() => Volatile.Read(ref running) == Limit);
        gate.SetResult(true);
        await Signal.UntilAsync(() => Volatile.Read(ref ended) == Limit + 100);

        Assert.Equal(Limit, most);
    }

    [Fact]
    public async Task Program_that_sends_unreadable_messages_is_disconnected()
    {
        var ended = Signal.New<DisconnectReason>();
        await using var server = await ListenAsync(host =>
        {
            host.On((in Ping _, CompatiblePeer _) => { });
            host.PeerDisconnected += (_, reason) => ended.TrySetResult(reason);
        });
        using var theirs = new RawClient(new LiteNetOptions().ConnectionKey, server.Endpoint.Port);

        for (var i = 0; i < 17; i++)
            await theirs.SendAsync([0xFF, 1]); // compressed, and cut off

        Assert.Equal(DisconnectReason.Malformed, await ended.Task.InTime());
        Assert.Equal(17, server.MalformedMessages);
    }

    [Theory]
    [InlineData(Events)] // the host waits, because one packet at a time is sent
    [InlineData(1)] // the channel waits, because LiteNetLib has the packet
    public async Task Dispose_waits_as_long_as_the_program_allows(int events)
    {
        var (arrived, dropped) = (0, 0);
        await using var server = await ListenAsync(host => host.On((in Ping _, CompatiblePeer _) => Interlocked.Increment(ref arrived)), s_patient);
        await using var proxy = new UdpProxy();
        proxy.Start(MessageEndpoint.Udp(server.Endpoint.Port));
        var client = await ConnectAsync(proxy, TimeSpan.FromMinutes(1));
        proxy.Treat = (datagram, isUp) => isUp && Interlocked.Increment(ref dropped) <= LongEnough ? [] : [datagram];

        for (var i = 0; i < events; i++)
            Assert.Equal(SendStatus.Sent, client.Server.Send(new Ping(i)));
        await client.DisposeAsync().AsTask().InTime();
        await Signal.UntilAsync(() => Volatile.Read(ref arrived) == events);

        Assert.Equal(0, client.LostMessages);
    }

    [Fact]
    public async Task Events_that_did_not_arrive_in_time_are_counted_and_reported()
    {
        var lost = Signal.New<int>();
        await using var server = await ListenAsync(options: s_patient);
        await using var proxy = new UdpProxy();
        proxy.Start(MessageEndpoint.Udp(server.Endpoint.Port));
        var client = await ConnectAsync(proxy, TimeSpan.FromMilliseconds(50));
        client.MessagesLost += (_, count) => lost.TrySetResult(count);

        proxy.Treat = static (datagram, isUp) => isUp ? [] : [datagram];
        for (var i = 0; i < Events; i++)
            Assert.Equal(SendStatus.Sent, client.Server.Send(new Ping(i)));
        await client.DisposeAsync().AsTask().InTime();

        Assert.Equal((Events, Events), (await lost.Task.InTime(), (int)client.LostMessages));
    }

    [Fact]
    public async Task Events_arrive_without_waiting_for_an_update_of_LiteNetLib()
    {
        const int Packets = 3000;
        var slow = new LiteNetOptions { Configure = static manager => (manager.UpdateTime, manager.DisconnectTimeout) = (2000, 60_000) };
        using var left = new CountdownEvent(Packets);
        await using var server = await ListenAsync(host => host.On((in Snapshot _, CompatiblePeer _) => left.Signal()), slow);
        await using var client = await CompatibleHost.ConnectAsync(new LiteNetTransport(slow).At(server.Endpoint.Port)).InTime();

        for (var i = 0; i < Packets; i++)
            Assert.Equal(SendStatus.Sent, await client.Server.SendAsync(new Snapshot(new byte[900])));

        Assert.True(await Deadline.RunAside(() => left.Wait(Deadline.Length)));
    }

    [Fact]
    public async Task Error_of_LiteNetLib_is_an_event_of_the_host_that_it_concerns()
    {
        var (failed, failedElsewhere) = (Signal.New<Exception>(), 0);
        await using var other = await ListenAsync(host => host.DatagramFailed += _ => failedElsewhere++);
        await using var server = await ListenAsync(host => host.DatagramFailed += e => failed.TrySetResult(e));
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Connect(IPAddress.Loopback, server.Endpoint.Port);

        await socket.SendAsync(new byte[] { 1 }); // a channeled packet without its sequence number

        Assert.Contains("DataReceived: bad!", (await failed.Task.InTime()).Message, StringComparison.Ordinal);
        Assert.Equal(0, failedElsewhere);
    }

    private static Task<CompatibleHost> ListenAsync(Action<CompatibleHost>? configure = null, LiteNetOptions? options = null) =>
        CompatibleHost.ListenAsync(new LiteNetTransport(options).At(0), configure);

    private static Task<CompatibleHost> ConnectAsync(CompatibleHost server, Action<CompatibleHost>? configure = null, TimeSpan? flushTimeout = null) =>
        CompatibleHost.ConnectAsync(new LiteNetTransport().At(server.Endpoint.Port), configure, flushTimeout: flushTimeout).InTime();

    private static Task<CompatibleHost> ConnectAsync(UdpProxy proxy, TimeSpan flushTimeout) =>
        CompatibleHost.ConnectAsync(new LiteNetTransport(s_patient).At(proxy.Endpoint.Port), flushTimeout: flushTimeout).InTime();

    private static Snapshot Numbered(int number)
    {
        var bytes = new byte[500_000];
        bytes[0] = (byte)number;
        return new Snapshot(bytes);
    }

    /// <summary>Polls until a condition is true.</summary>
    /// <returns>The id of the thread.</returns>
    private static int Until(LiteNetTransport transport, Func<bool> condition)
    {
        while (!condition())
        {
            transport.Poll();
            Thread.Sleep(1);
        }

        return Environment.CurrentManagedThreadId;
    }
}
