using LiteNetLib;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Transports.LiteNetLib;
using Xunit;
using DisconnectReason = Reloaded.Messaging.Hosting.DisconnectReason;

namespace Reloaded.Messaging.Tests.LiteNet;

/// <summary>A disconnect waits until events have arrived, for as long as the program allows. Events that have not arrived are counted and reported.</summary>
public sealed class LiteNetLossTests
{
    private const int Events = 300;

    /// <summary>The number of lost datagrams after which a test lets datagrams through. LiteNetLib sends one again every 30 ms, so this takes longer than the default limit of 1 s.</summary>
    private const int LongEnough = 60;

    private readonly MessageContract<int> _contract = new(1, new BlittableSerializer<int>());

    [Theory]
    [InlineData(Events)]
    [InlineData(1)]
    public async Task Dispose_waits_as_long_as_the_program_allows(int events)
    {
        var (arrived, lost, dropped) = (0, 0, 0);
        var options = Patient;
        await using var server = await MessageHost.ListenAsync(new LiteNetTransport(options).At(0), server => server.On(_contract, (in int _, Peer _) => Interlocked.Increment(ref arrived)));
        await using var proxy = new UdpProxy();
        proxy.Start(MessageEndpoint.Udp(server.Endpoint.Port));
        var client = await ConnectAsync(proxy, options, TimeSpan.FromMinutes(1));
        client.MessagesLost += (_, count) => lost = count;
        proxy.Treat = (datagram, isUp) => isUp && Interlocked.Increment(ref dropped) <= LongEnough ? [] : [datagram];

        for (var i = 0; i < events; i++)
            Assert.Equal(SendStatus.Sent, client.Server.Send(_contract, i));
        await client.DisposeAsync().AsTask().InTime();

        Assert.Equal((events, 0, 0), (arrived, lost, client.GetStatistics().LostFrames));
    }

    [Fact]
    public async Task Events_that_did_not_arrive_in_time_are_counted_and_reported()
    {
        var arrived = 0;
        var lost = Signal.New<int>();
        var options = Patient;
        await using var server = await MessageHost.ListenAsync(new LiteNetTransport(options).At(0), server => server.On(_contract, (in int _, Peer _) => Interlocked.Increment(ref arrived)));
        await using var proxy = new UdpProxy();
        proxy.Start(MessageEndpoint.Udp(server.Endpoint.Port));
        var client = await ConnectAsync(proxy, options, TimeSpan.FromMilliseconds(50));
        client.MessagesLost += (_, count) => lost.TrySetResult(count);
        for (var i = 0; i < Events; i++)
            client.Server.Send(_contract, i);
        await Signal.UntilAsync(() => Volatile.Read(ref arrived) == Events && client.GetStatistics().LostFrames == 0);

        proxy.Treat = (datagram, isUp) => isUp ? [] : [datagram];
        for (var i = 0; i < Events; i++)
            Assert.Equal(SendStatus.Sent, client.Server.Send(_contract, i));
        await client.DisposeAsync().AsTask().InTime();

        // Pings may be lost too, and the acknowledgement of the last packet may not have arrived.
        Assert.InRange(client.GetStatistics().LostFrames, Events, (2 * Events) + 4);
        Assert.Equal(client.GetStatistics().LostFrames, await lost.Task.InTime());
    }

    [Theory]
    [InlineData(DeliveryMethod.ReliableUnordered, 0)]
    [InlineData(DeliveryMethod.ReliableOrdered, 1)]
    public async Task Goodbye_does_not_overtake_reliable_events(DeliveryMethod method, byte channel)
    {
        for (var round = 0; round < 3; round++)
        {
            var arrived = 0;
            var gone = Signal.New<DisconnectReason>();
            var options = new LiteNetOptions { Channels = 2, Configure = static manager => manager.DisconnectTimeout = 60_000 }.Deliver<Snapshot>(new LiteNetDelivery(method, channel));
            await using var pair = await LiteNetPair.OpenAsync(
                server =>
                {
                    server.On((in Snapshot _, Peer _) => Interlocked.Increment(ref arrived));
                    server.PeerDisconnected += (_, reason) => gone.TrySetResult(reason);
                },
                options: options,
                hosts: new MessageHostOptions { FlushTimeout = TimeSpan.FromMinutes(1) });

            for (var i = 0; i < 1000; i++)
                Assert.Equal(SendStatus.Sent, await pair.Client.SendAsync(new Snapshot(new byte[900])));
            await pair.Client.DisposeAsync().AsTask().InTime();

            Assert.Equal(DisconnectReason.Goodbye, await gone.Task.InTime());
            Assert.Equal((1000, 0), (arrived, pair.Client.GetStatistics().LostFrames));
        }
    }

    private static LiteNetOptions Patient => new() { Configure = static manager => manager.DisconnectTimeout = 60_000 };

    private static Task<MessageClient> ConnectAsync(UdpProxy proxy, LiteNetOptions options, TimeSpan flushTimeout) =>
        MessageHost.ConnectAsync(new LiteNetTransport(options).At(proxy.Endpoint.Port), options: new MessageHostOptions { FlushTimeout = flushTimeout, KeepAliveTimeout = TimeSpan.FromMinutes(1) }).InTime();

    [Fact]
    public void Messages_that_wait_at_the_end_of_a_queue_are_counted_and_control_messages_are_not()
    {
        var failures = new List<int>();
        LiteNetQueue? queue = null;
        queue = new LiteNetQueue(
            static (_, isReliable) => isReliable ? default : throw new InvalidOperationException("refused"),
            (_, dropped) => failures.Add(dropped + queue!.End()),
            static () => { });
        byte[] @event = [3, 1], control = [0x7F, 4, 1];
        Add(@event, isReliable: true);
        Add(@event, isReliable: false); // the sender of these frames counts them
        Add(control, isReliable: true);
        Add(@event, isReliable: true);
        queue.Flush();

        Assert.Equal([1], failures);
        Assert.False(queue.TryAdd(default, @event, isReliable: true, maxPending: 100));
        queue = new LiteNetQueue(static (_, _) => default, static (_, _) => { }, static () => { });
        Add(@event, isReliable: true);
        Add(control, isReliable: false);
        Add(@event, isReliable: false);
        Assert.Equal(2, queue.End());
        Assert.Equal(0, queue.PendingBytes);

        void Add(byte[] message, bool isReliable) => Assert.True(queue.TryAdd(default, message, isReliable, maxPending: 100));
    }
}
