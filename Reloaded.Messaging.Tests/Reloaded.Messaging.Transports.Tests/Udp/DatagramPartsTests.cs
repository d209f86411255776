using System;
using System.Buffers.Binary;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>What threads and full inboxes can do to the order of things, one step at a time.</summary>
public sealed class DatagramPartsTests
{
    [Fact]
    public async Task Bytes_before_the_end_are_received_on_any_thread()
    {
        var inbox = new DatagramInbox();
        var buffer = new byte[16];
        var receiving = inbox.ReceiveAsync(buffer, CancellationToken.None).AsTask();
        Assert.True(inbox.TryAdd([1, 2, 3], out var completes));
        Assert.True(completes);

        Assert.False(inbox.TryEnd()); // on another thread, before this one hands over what it took
        inbox.Complete();

        Assert.Equal(3, await receiving.InTime());
        Assert.Equal(0, await inbox.ReceiveAsync(buffer, CancellationToken.None).AsTask().InTime());
    }

    [Fact]
    public async Task Segments_that_were_acknowledged_early_are_delivered_to_a_full_inbox()
    {
        var inbox = new DatagramInbox();
        var receiver = new ReliableReceiver(inbox);
        var completes = false;
        for (var number = 1u; number < ReliableSender.Window; number++)
            Assert.Null(receiver.TryTake(Segment(number), ref completes)); // early: the sender does not send them again
        Assert.True(inbox.TryAdd(new byte[DatagramInbox.Capacity - 1], out _));

        Assert.Null(receiver.TryTake(Segment(0), ref completes)); // fills the inbox

        Assert.Equal(DatagramDropReason.InboxFull, receiver.TryTake(Segment(ReliableSender.Window), ref completes));
        var buffer = new byte[DatagramInbox.Capacity + ReliableSender.Window];
        Assert.Equal(DatagramInbox.Capacity - 1 + ReliableSender.Window, await inbox.ReceiveAsync(buffer, CancellationToken.None));
        for (var number = 0; number < ReliableSender.Window; number++)
            Assert.Equal((byte)number, buffer[DatagramInbox.Capacity - 1 + number]);
        for (var number = 0u; number <= ReliableSender.Window; number++)
            Assert.Null(receiver.TryTake(Segment(number), ref completes)); // segments whose acknowledgement was lost, and the dropped one
        Assert.Equal(1, await inbox.ReceiveAsync(buffer, CancellationToken.None));
        Assert.Equal((byte)ReliableSender.Window, buffer[0]);
    }

    [Fact]
    public async Task Partial_messages_are_released_with_their_connection()
    {
        var counts = new DatagramCounters();
        var channel = new UdpChannel(new Nowhere(), 1, null, new UdpOptions { MaxFragments = 2 }, counts, "nobody");
        channel.Take(Datagram(DatagramPart.Fragment, [7, 0, 0, 0, 0, 2, 1]), default, out _);
        channel.Take(Datagram(DatagramPart.Fragment, [8, 0, 0, 0, 0, 2, 1]), default, out _);
        channel.Take(Datagram(DatagramPart.Segment, Segment(1)), default, out _);

        await channel.DisposeAsync();
        Assert.Equal(2, counts.GetDropped(DatagramDropReason.Incomplete));
        channel.Take(Datagram(DatagramPart.Fragment, [7, 0, 0, 0, 1, 2, 1]), default, out _);
        channel.Take(Datagram(DatagramPart.Segment, Segment(2)), default, out _);

        Assert.Equal(2, counts.GetDropped(DatagramDropReason.UnknownConnection));
        Assert.Equal(2, counts.GetDropped(DatagramDropReason.Incomplete));

        static byte[] Datagram(DatagramPart part, byte[] body) => [DatagramFormat.Plain, 1, 0, 0, 0, 0, 0, 0, 0, (byte)part, .. body];
    }

    private static byte[] Segment(uint number)
    {
        var segment = new byte[ReliableSender.HeaderSize + 1];
        BinaryPrimitives.WriteUInt32LittleEndian(segment, number);
        segment[^1] = (byte)number;
        return segment;
    }

    private sealed class Nowhere : IDatagramPort
    {
        public void Send(ReadOnlySpan<byte> datagram)
        {
        }

        public void Release(UdpChannel channel)
        {
        }
    }
}
