using System.Collections.Concurrent;
using System.Linq;
using LiteNetLib;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Transports.LiteNetLib;
using Xunit;
using DisconnectReason = Reloaded.Messaging.Hosting.DisconnectReason;

namespace Reloaded.Messaging.Tests.LiteNet;

/// <summary>The guarantees of hosts, over LiteNetLib.</summary>
public sealed class LiteNetHostTests
{
    [Fact]
    public async Task Events_arrive_in_order_and_requests_are_answered_both_ways()
    {
        var numbers = new ConcurrentQueue<int>();
        var all = Signal.New<bool>();
        await using var pair = await LiteNetPair.OpenAsync(
            server =>
            {
                server.On((in Ping ping, Peer _) =>
                {
                    numbers.Enqueue(ping.Number);
                    if (ping.Number == 9_999)
                        all.TrySetResult(true);
                });
                server.OnRequest((Position position) => new Pong(position.X + position.Y));
            },
            client => client.OnRequest((Note note) => new Note(note.Text + "!")));

        for (var i = 0; i < 10_000; i++)
            Assert.Equal(SendStatus.Sent, await pair.Client.SendAsync(new Ping(i)));
        await all.Task.InTime();

        Assert.Equal(Enumerable.Range(0, 10_000), numbers);
        Assert.Equal(8, (await pair.Client.RequestAsync<Position, Pong>(new Position(7, 1))).Number);
        Assert.Equal("hello!", (await pair.Server.Peers.Single().RequestAsync<Note, Note>(new Note("hello"))).Text);
        Assert.Equal(0, pair.ServerTransport.Dropped);
    }

    [Theory]
    [InlineData(DeliveryMethod.ReliableOrdered)]
    [InlineData(DeliveryMethod.ReliableUnordered)]
    public async Task Where_LiteNetLib_divides_a_large_message_arrives(DeliveryMethod method)
    {
        var received = Signal.New<byte[]>();
        await using var pair = await LiteNetPair.OpenAsync(
            server => server.On((in Snapshot snapshot, Peer _) => received.TrySetResult(snapshot.Bytes)),
            options: new LiteNetOptions().Deliver<Snapshot>(new LiteNetDelivery(method)));
        var bytes = new byte[300_000];
        new Random(1).NextBytes(bytes);

        Assert.Equal(SendStatus.Sent, await pair.Client.SendAsync(new Snapshot(bytes)));

        Assert.Equal(bytes, await received.Task.InTime());
    }

    [Theory]
    [InlineData(DeliveryMethod.Unreliable)]
    [InlineData(DeliveryMethod.Sequenced)]
    [InlineData(DeliveryMethod.ReliableSequenced)]
    public async Task Event_that_is_too_large_for_one_packet_arrives_by_reliable_delivery(DeliveryMethod method)
    {
        var received = new ConcurrentQueue<int>();
        await using var pair = await LiteNetPair.OpenAsync(
            server => server.On((in Snapshot snapshot, Peer _) => received.Enqueue(snapshot.Bytes.Length)),
            options: new LiteNetOptions().Deliver<Snapshot>(new LiteNetDelivery(method)));

        Assert.Equal(SendStatus.Sent, pair.Client.Send(new Snapshot(new byte[5000])));
        await Signal.UntilAsync(() => received.Count == 1);
        Assert.Equal(SendStatus.Sent, pair.Client.Send(new Snapshot(new byte[500])));
        await Signal.UntilAsync(() => received.Count == 2);

        Assert.Equal([5000, 500], received);
        Assert.True(pair.Client.Server.IsConnected);
    }

    [Theory]
    [InlineData(DeliveryMethod.Unreliable)]
    [InlineData(DeliveryMethod.Sequenced)]
    [InlineData(DeliveryMethod.ReliableUnordered)]
    public async Task No_event_overtakes_the_handshake(DeliveryMethod method)
    {
        for (var round = 0; round < 30; round++)
        {
            var first = Signal.New<bool>();
            await using var pair = await LiteNetPair.OpenAsync(
                server => server.On((in Position _, Peer _) => first.TrySetResult(true)),
                options: new LiteNetOptions().Deliver<Position>(new LiteNetDelivery(method)));

            for (var i = 0; i < 100; i++)
                Assert.Equal(SendStatus.Sent, pair.Client.Send(new Position(i, i)));

            Assert.True(await first.Task.InTime());
        }
    }

    [Fact]
    public async Task Each_contract_travels_as_it_is_told_to()
    {
        var methods = new ConcurrentDictionary<(DeliveryMethod, byte), int>();
        var answered = Signal.New<bool>();
        var options = new LiteNetOptions { Channels = 3 }.Deliver<Position>(LiteNetDelivery.Sequenced(1)).Deliver<Note>(LiteNetDelivery.ReliableUnordered(2));
        var transport = new LiteNetTransport(options);
        await using var raw = new RawServer(options, isCompatible: false, (reader, channel, method) => methods.AddOrUpdate((method, channel), 1, static (_, count) => count + 1));

        // The remote side is not a host. It sees the packets, and never replies to the handshake.
        var listener = await transport.At(raw.Port).ConnectAsync(new TransportContext());
        await listener.SendAsync(Frames.Of(new Position(1, 2)), default);
        await listener.SendAsync(Frames.Of(new Note("a")), default);
        await listener.SendAsync(Frames.Of(new Ping(1)), default);

        await Signal.UntilAsync(() => methods.Count == 3);
        Assert.Equal(
            [(DeliveryMethod.ReliableUnordered, (byte)2), (DeliveryMethod.Sequenced, (byte)1), (DeliveryMethod.ReliableOrdered, (byte)0)],
            methods.Keys.OrderBy(static key => key.Item1));
        await listener.DisposeAsync();
    }

    [Fact]
    public async Task What_a_handler_throws_never_reaches_LiteNetLib()
    {
        var failures = 0;
        await using var pair = await LiteNetPair.OpenAsync(server =>
        {
            server.HandlerFailed += _ => Interlocked.Increment(ref failures);
            server.On((in Ping _, Peer _) => throw new InvalidOperationException("from the handler"));
            server.OnRequest((Note note) => note.Text == "fail" ? throw new InvalidOperationException("from the handler") : note);
        });

        pair.Client.Send(new Ping(1));
        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => pair.Client.RequestAsync<Note, Note>(new Note("fail")).AsTask().InTime());

        Assert.Equal(FaultCode.HandlerFailed, fault.Code);
        Assert.Equal("well", (await pair.Client.RequestAsync<Note, Note>(new Note("well"))).Text);
        Assert.Equal(2, failures);
    }

    [Fact]
    public async Task Polled_handlers_run_where_they_are_polled()
    {
        var options = new LiteNetOptions { IsPolled = true };
        var transport = new LiteNetTransport(options);
        var threads = new ConcurrentBag<int>();
        using var stop = new CancellationTokenSource();
        var polling = new Thread(() =>
        {
            while (!stop.IsCancellationRequested)
            {
                transport.Poll();
                Thread.Sleep(1);
            }
        })
        {
            IsBackground = true, // a failed test leaves the thread running
        };
        polling.Start();
        var server = await MessageHost.ListenAsync(transport.At(0), server => server.OnRequest((Ping ping) =>
        {
            threads.Add(Environment.CurrentManagedThreadId);
            return new Pong(ping.Number);
        }));
        var client = await MessageHost.ConnectAsync(transport.At(server.Endpoint.Port)).InTime();

        for (var i = 0; i < 20; i++)
            Assert.Equal(i, (await client.RequestAsync<Ping, Pong>(new Ping(i))).Number);
        await client.DisposeAsync();
        await server.DisposeAsync();
        await stop.CancelAsync();
        polling.Join();

        Assert.Equal(20, threads.Count);
        Assert.All(threads, thread => Assert.Equal(polling.ManagedThreadId, thread));
    }

    [Fact]
    public async Task Encrypted_hosts_talk_and_send_what_is_large()
    {
        var received = Signal.New<int>();
        await using var pair = await LiteNetPair.OpenAsync(
            server =>
            {
                server.On((in Snapshot snapshot, Peer _) => received.TrySetResult(snapshot.Bytes.Length));
                server.OnRequest((Ping ping) => new Pong(ping.Number));
            },
            hosts: new MessageHostOptions { Protection = ProtectionOptions.WithSecret(new byte[32]) });

        Assert.Equal(3, (await pair.Client.RequestAsync<Ping, Pong>(new Ping(3))).Number);
        await pair.Client.SendAsync(new Snapshot(new byte[200_000]));

        Assert.Equal(200_000, await received.Task.InTime());
    }

    [Fact]
    public async Task A_broadcast_reaches_all()
    {
        var transport = new LiteNetTransport();
        await using var server = await MessageHost.ListenAsync(transport.At(0));
        var received = new ConcurrentBag<string>();
        var clients = await Task.WhenAll(Enumerable.Range(0, 10).Select(_ =>
            MessageHost.ConnectAsync(server.Endpoint, client => client.On((in Note note, Peer _) => received.Add(note.Text))).InTime()));
        await Signal.UntilAsync(() => server.Peers.Count == 10);

        server.Broadcast(new Note("to all"));

        await Signal.UntilAsync(() => received.Count == 10);
        foreach (var client in clients)
            await client.DisposeAsync();
    }
}
