using System.Buffers.Binary;
using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>Datagrams of which only the newest counts, in every order of arrival.</summary>
public sealed class SequencedDeliveryTests : IAsyncDisposable
{
    private readonly HeldDatagrams _pair = new();

    public ValueTask DisposeAsync() => _pair.DisposeAsync();

    [Fact]
    public async Task Datagram_older_than_the_newest_of_its_stream_is_dropped_and_counted()
    {
        for (var i = 1; i <= 4; i++)
            await SendAsync(Delivery.Sequenced(7), (byte)i);

        _pair.Deliver(1); // the second
        _pair.Deliver(0); // the first
        _pair.Deliver(1); // the fourth
        _pair.Deliver(0); // the third

        Assert.Equal([1, 2, 1, 4], _pair.Received());
        Assert.Equal(2, _pair.Receiver.OutdatedDatagrams);
        Assert.Equal(2, _pair.Counts.GetDropped(DatagramDropReason.Outdated));
    }

    [Fact]
    public async Task Duplicate_is_dropped_and_a_lost_datagram_is_not_awaited()
    {
        for (var i = 1; i <= 3; i++)
            await SendAsync(Delivery.Sequenced(0), (byte)i);
        var first = _pair.Sent[0];

        _pair.Deliver(first);
        _pair.Deliver(first);
        _pair.Deliver(2); // the second is lost

        Assert.Equal([1, 1, 1, 3], _pair.Received());
        Assert.Equal(1, _pair.Counts.GetDropped(DatagramDropReason.Replayed));
        Assert.Equal(0, _pair.Receiver.OutdatedDatagrams);
    }

    [Fact]
    public async Task Streams_and_unreliable_datagrams_do_not_affect_each_other()
    {
        await SendAsync(Delivery.Sequenced(0), 1);
        await SendAsync(Delivery.Sequenced(255), 2);
        await SendAsync(Delivery.Unreliable, 3);

        _pair.Deliver(2);
        _pair.Deliver(1);
        _pair.Deliver(0);

        Assert.Equal([1, 3, 1, 2, 1, 1], _pair.Received());
        Assert.Equal(0, _pair.Receiver.OutdatedDatagrams);
    }

    [Fact]
    public async Task Divided_message_whose_last_fragment_arrives_after_a_newer_message_is_dropped()
    {
        await using var pair = new HeldDatagrams(new UdpOptions { MaxFragments = 2 });
        byte[] large = [0xD0, 0x0F, .. Enumerable.Repeat((byte)9, 2000)]; // the length is a uvarint
        await pair.Sender.SendAsync(large, Delivery.Sequenced(1), default);
        await pair.Sender.SendAsync(large, Delivery.Sequenced(1), default);
        await pair.Sender.SendAsync(new byte[] { 1, 5 }, Delivery.Sequenced(1), default);

        pair.Deliver(0);
        pair.Deliver(0); // the first message is complete
        pair.Deliver(0);
        pair.Deliver(1); // the third message
        pair.Deliver(0); // completes the second

        Assert.Equal([.. large, 1, 5], pair.Received());
        Assert.Equal(1, pair.Receiver.OutdatedDatagrams);
    }

    [Fact]
    public async Task Largest_message_is_sent_in_every_delivery()
    {
        await using var pair = new HeldDatagrams(new UdpOptions { MaxFragments = 3 });
        foreach (var channels in new[] { _pair, pair })
        {
            var size = channels.Sender.MaxMessageSize;
            byte[] frame = [(byte)(size | 0x80), (byte)(size >> 7), .. Enumerable.Repeat((byte)9, size)];
            foreach (var delivery in new[] { Delivery.Unreliable, Delivery.Sequenced(3), Delivery.ReliableOrdered })
            {
                await channels.Sender.SendAsync(frame, delivery, default);
                Assert.All(channels.Sent, datagram => Assert.InRange(datagram.Length, 1, UdpOptions.Default.MaxDatagramSize));
                channels.DeliverAll();
                Assert.Equal(frame, channels.Received());
            }
        }
    }

    [Fact]
    public void Numbers_continue_after_the_largest_one()
    {
        var streams = new SequencedStreams();
        foreach (var (number, isOutdated) in new[] { (0u, false), (0x7FFF_FFFFu, false), (0xFFFF_FFFEu, false), (0u, false), (0xFFFF_FFFFu, true), (1u, false) })
        {
            var header = new byte[SequencedStreams.HeaderSize];
            BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(1), number);
            Assert.Equal(isOutdated, streams.IsOutdated(header));
        }
    }

    [Fact]
    public async Task Part_without_frames_is_malformed()
    {
        await SendAsync(Delivery.Sequenced(0), 1);
        var datagram = _pair.Sent[0];

        for (var length = DatagramFormat.PlainHeader + 1; length < datagram.Length; length++)
            _pair.Deliver(datagram.AsSpan(0, length));

        Assert.Equal(datagram.Length - DatagramFormat.PlainHeader - 1, _pair.Counts.GetDropped(DatagramDropReason.Malformed));
        _pair.Deliver(datagram);
        Assert.Equal([1, 1], _pair.Received());
    }

    private ValueTask SendAsync(Delivery delivery, byte value) => _pair.Sender.SendAsync(new byte[] { 1, value }, delivery, default);
}
