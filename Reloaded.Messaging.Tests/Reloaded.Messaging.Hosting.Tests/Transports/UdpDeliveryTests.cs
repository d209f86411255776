using System.Collections.Concurrent;
using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>The delivery of events by type over one connection, on a path that loses and holds what the test chooses.</summary>
public sealed class UdpDeliveryTests : IAsyncLifetime
{
    private readonly UdpProxy _proxy = new();
    private readonly ConcurrentQueue<string> _received = new();
    private MessageServer _server = null!;
    private MessageClient _client = null!;

    public async ValueTask InitializeAsync()
    {
        _server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), host =>
        {
            host.On((in Ping ping, Peer _) => _received.Enqueue($"ping {ping.Number}"));
            host.On((in Note note, Peer _) => _received.Enqueue(note.Text));
            host.OnRequest((Question question) => new Answer(question.Number));
            host.Deliver<Ping>(DeliveryMode.Sequenced);
        });
        _proxy.Start(_server.Endpoint);
        _client = await MessageHost.ConnectAsync(
            _proxy.Endpoint,
            host =>
            {
                host.On((in Ping ping, Peer _) => _received.Enqueue($"ping {ping.Number}"));
                host.Deliver<Ping>(DeliveryMode.Sequenced);
                host.Deliver<Note>(DeliveryMode.ReliableOrdered);
            },
            new MessageHostOptions { FlushTimeout = TimeSpan.FromMilliseconds(200) }).InTime();
        await _server.Connection().InTime();
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
        await _proxy.DisposeAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Older_event_of_a_sequenced_type_is_dropped_and_counted(bool isBroadcast)
    {
        byte[]? held = null;
        _proxy.Treat = (datagram, _) => PlainDatagram.Has(datagram, DatagramPart.Sequenced)
            ? Interlocked.CompareExchange(ref held, datagram, null) is null ? [] : [datagram, held]
            : [datagram];

        if (isBroadcast)
            _server.Broadcast(new Ping(1));
        else
            _client.Send(new Ping(1));
        await Signal.UntilAsync(() => held is not null);
        if (isBroadcast)
            _server.Broadcast(new Ping(2));
        else
            _client.Send(new Ping(2));

        var (receiver, sender) = isBroadcast ? ((MessageHost)_client, (MessageHost)_server) : (_server, _client);
        await Signal.UntilAsync(() => receiver.Peers.Single().GetStatistics().OutdatedDatagrams == 1 && !_received.IsEmpty);
        Assert.Equal(["ping 2"], _received);
        Assert.Equal(1, receiver.GetCount(DatagramDropReason.Outdated));
        Assert.Equal(0, sender.Peers.Single().GetStatistics().OutdatedDatagrams);
    }

    [Fact]
    public async Task Reliable_events_and_requests_arrive_once_and_in_order_over_a_path_that_loses_and_repeats()
    {
        const int Count = 60;
        var random = new Random(1);
        _proxy.Treat = (datagram, _) =>
        {
            lock (random)
                return random.Next(6) switch { 0 => [], 1 => [datagram, datagram], _ => [datagram] };
        };

        var text = new string('x', 200);
        for (var i = 0; i < Count; i++)
            Assert.Equal(SendStatus.Sent, _client.Send(new Note($"{i} {text}")));
        Assert.Equal(new Answer(7), await _client.RequestAsync<Question, Answer>(new Question(7), Deadline.Length).AsTask().InTime());

        Assert.Equal(Enumerable.Range(0, Count), _received.Select(static note => int.Parse(note.Split(' ')[0], CultureInfo.InvariantCulture))); // the request came after them
    }

    [Fact]
    public async Task Events_of_other_deliveries_do_not_wait_for_a_lost_reliable_event()
    {
        var isCut = true;
        _proxy.Treat = (datagram, isUp) => Volatile.Read(ref isCut) && isUp && PlainDatagram.Has(datagram, DatagramPart.Data) ? [] : [datagram];

        _client.Send(new Note("late"));
        await _client.Server.FlushAsync().InTime(); // otherwise, both share a datagram
        await Signal.UntilAsync(() =>
        {
            _client.Send(new Ping(1)); // one that shares a datagram with a repetition of the event is lost
            return !_received.IsEmpty;
        });
        Volatile.Write(ref isCut, false);
        await Signal.UntilAsync(() => _received.Contains("late"));

        Assert.Equal("ping 1", _received.First());
    }

    [Fact]
    public async Task Corked_events_share_a_part_only_with_events_of_their_delivery()
    {
        var parts = new ConcurrentQueue<DatagramPart>();
        _proxy.Treat = (datagram, isUp) =>
        {
            foreach (var (part, body) in PlainDatagram.PartsOf(datagram))
            {
                if (isUp && body.Length > 40)
                    parts.Enqueue(part);
            }

            return [datagram];
        };
        _client.Deliver<Note>(DeliveryMode.Unreliable);

        var peer = _client.Server;
        peer.Cork();
        for (var i = 0; i < 10; i++)
            peer.Send(new Ping(i));
        for (var i = 0; i < 3; i++)
            peer.Send(new Note("a text of about twenty bytes"));
        _client.Deliver<Note>(DeliveryMode.ReliableOrdered);
        for (var i = 0; i < 3; i++)
            peer.Send(new Note("a text of about twenty bytes"));
        peer.Uncork();
        await Signal.UntilAsync(() => _received.Count == 16);

        Assert.Equal(new[] { DatagramPart.Sequenced, DatagramPart.Frames, DatagramPart.Data }.Order(), parts.Distinct().Order()); // an acknowledgement that arrives meanwhile makes the channel send what is queued, in any order
    }

    [Fact]
    public async Task Reliable_events_that_did_not_arrive_are_reported_as_lost()
    {
        var lost = Signal.New<int>();
        _client.MessagesLost += (_, count) => lost.SetResult(count);
        _proxy.Treat = static (_, _) => [];

        _client.Send(new Note("lost"));
        _client.Send(new Note("lost")); // perhaps in the write of the goodbye
        await _client.DisposeAsync().AsTask().InTime();

        Assert.Equal(2, await lost.Task.InTime());
        Assert.Equal(2, _client.GetStatistics().LostFrames);
    }

    [Fact]
    public async Task Request_and_other_types_do_not_wait_for_a_large_event_of_another_type()
    {
        _client.Deliver<Note>(DeliveryMode.ReliableByType);
        _client.Deliver<Ping>(DeliveryMode.ReliableByType);
        var isHeld = true;
        var held = 0;
        _proxy.Treat = (datagram, _) =>
        {
            if (!Volatile.Read(ref isHeld) || !PlainDatagram.PartsOf(datagram).Exists(static part => part.Part == DatagramPart.Data && part.Body[0] == 1))
                return [datagram];
            Interlocked.Increment(ref held);
            return [];
        };

        for (var i = 0; i < 3; i++)
            Assert.Equal(SendStatus.Sent, _client.Send(new Note(new string('x', 200_000))));
        Assert.Equal(SendStatus.Sent, _client.Send(new Ping(1)));
        Assert.Equal(new Answer(5), await _client.RequestAsync<Question, Answer>(new Question(5)).AsTask().InTime());
        await Signal.UntilAsync(() => !_received.IsEmpty);
        Assert.Equal(["ping 1"], _received);
        Assert.NotEqual(0, Volatile.Read(ref held));

        Volatile.Write(ref isHeld, false);
        await Signal.UntilAsync(() => _received.Count == 4);
        Assert.All(_received.Skip(1), static text => Assert.Equal(200_000, text.Length));
    }

    [Fact]
    public void Delivery_out_of_range_is_refused()
    {
        Assert.Contains(nameof(DeliveryMode), Assert.Throws<ArgumentOutOfRangeException>(() => _client.Deliver<Ping>((DeliveryMode)4)).Message, StringComparison.Ordinal);

        var serializer = MessageContract.GetDeclared<Note>().Serializer;
        for (var i = 1u; i < EventDeliveries.MaxSequenced; i++)
            _client.Deliver(new MessageContract<Note>(1000 + i, serializer), DeliveryMode.Sequenced);
        _client.Deliver<Ping>(DeliveryMode.Sequenced); // has its stream already
        Assert.Contains("256", Assert.Throws<InvalidOperationException>(() => _client.Deliver<Note>(DeliveryMode.Sequenced)).Message, StringComparison.Ordinal);
    }

}

[Message(5070)] public readonly record struct Question(int Number);

[Message(5071)] public readonly record struct Answer(int Number);
