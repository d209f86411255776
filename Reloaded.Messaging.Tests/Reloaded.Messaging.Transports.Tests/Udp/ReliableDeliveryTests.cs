using System.Diagnostics.CodeAnalysis;
using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>Reliable and ordered frames beside others, on a path that loses what the test chooses.</summary>
public sealed class ReliableDeliveryTests : IAsyncDisposable
{
    private readonly HeldDatagrams _pair = new();

    public ValueTask DisposeAsync() => _pair.DisposeAsync();

    [Fact]
    public async Task Lost_frame_is_resent_and_later_reliable_frames_wait_for_it()
    {
        for (byte i = 1; i <= 4; i++)
            await SendAsync(Delivery.ReliableOrdered, i);
        _pair.Sent.RemoveAt(0); // lost
        _pair.DeliverAll(); // three newer datagrams are acknowledged: the first one is sent again, in another datagram

        Assert.Equal([1, 1, 1, 2, 1, 3, 1, 4], _pair.Received());
    }

    [Fact]
    public async Task Last_frame_that_is_lost_is_resent_by_the_timer()
    {
        await SendAsync(Delivery.ReliableOrdered, 1);
        _pair.Sent.Clear(); // lost
        _pair.Time.Advance(TimeSpan.FromSeconds(1));

        _pair.DeliverAll();

        Assert.Equal([1, 1], _pair.Received());
        Assert.Equal(0, _pair.Sender.LostFrames);
    }

    [Theory]
    [InlineData(DeliveryMode.ReliableOrdered)]
    [InlineData(DeliveryMode.Unreliable)]
    public async Task Flush_completes_when_the_socket_has_the_last_datagram(DeliveryMode mode)
    {
        var delivery = mode == DeliveryMode.Unreliable ? Delivery.Unreliable : Delivery.ReliableOrdered;
        Task? flush = null;
        var completed = new List<bool>();
        _pair.Sending = () =>
        {
            if (flush is not null)
                completed.Add(flush.IsCompleted);
            else if (_pair.Sender.TryQueue(new byte[500], delivery, int.MaxValue))
                flush = _pair.Sender.FlushAsync(); // the thread that runs this sends the datagrams later
        };

        await SendAsync(Delivery.Unreliable, 1);

        await flush!.InTime();
        Assert.True(completed.Count > 0);
        Assert.DoesNotContain(true, completed);
    }

    [Fact]
    public async Task Other_frames_do_not_wait_for_a_lost_reliable_frame()
    {
        await SendAsync(Delivery.ReliableOrdered, 1);
        var lost = _pair.Sent[0];
        _pair.Sent.Clear();
        await SendAsync(Delivery.Unreliable, 2);
        await SendAsync(Delivery.Sequenced(0), 3);

        _pair.DeliverAll();
        Assert.Equal([1, 2, 1, 3], _pair.Received());
        _pair.Deliver(lost);
        Assert.Equal([1, 1], _pair.Received());
    }

    [Fact]
    public async Task Frames_are_received_in_the_order_of_their_arrival()
    {
        await SendAsync(Delivery.Unreliable, 1);
        await SendAsync(Delivery.ReliableOrdered, 2);
        await SendAsync(Delivery.Unreliable, 3);
        await SendAsync(Delivery.Sequenced(1), 4);
        await SendAsync(Delivery.ReliableOrdered, 5);
        _pair.DeliverAll();

        var received = new byte[10];
        for (var i = 0; i < received.Length; i++)
            Assert.Equal(1, await _pair.Receiver.ReceiveAsync(received.AsMemory(i, 1), default)); // also if each receive returns one byte

        Assert.Equal([1, 1, 1, 2, 1, 3, 1, 4, 1, 5], received);
    }

    [Fact]
    public async Task Flush_of_a_sealed_channel_completes_when_all_frames_have_arrived()
    {
        await SendAsync(Delivery.ReliableOrdered, 1);
        _pair.Sender.Seal([2]);
        var barrier = _pair.Sender.FlushAsync();

        _pair.Deliver(1);
        Assert.False(barrier.IsCompleted);
        _pair.Deliver(0);

        await barrier.InTime();
        Assert.Equal([1, 1, 1, 2], _pair.Received());
    }

    [Fact]
    public async Task Sender_waits_while_too_much_waits_for_the_window()
    {
        var frames = Frames(1000);
        var sending = _pair.Sender.SendAsync(frames, Delivery.ReliableOrdered, default).AsTask();
        Assert.False(sending.IsCompleted);
        Assert.InRange(_pair.Sender.Path!.Value.QueuedBytes, 1, 64 * 1024);

        var received = await ReceiveAllAsync(frames.Length);

        await sending.InTime();
        Assert.Equal(frames, received);
    }

    [Fact]
    public async Task Closed_channel_ends_a_waiting_send_and_counts_what_did_not_arrive()
    {
        for (byte i = 0; i < 3; i++)
            await _pair.Sender.SendAsync(new byte[] { 1, i, 1, i }, Delivery.ReliableOrdered, default);
        _pair.Deliver(0);
        Assert.Equal(4, _pair.Sender.LostFrames);
        var waiting = _pair.Sender.SendAsync(Frames(1000), Delivery.ReliableOrdered, default).AsTask();

        await _pair.Sender.DisposeAsync();

        await Assert.ThrowsAsync<TransportClosedException>(() => waiting.InTime());
        Assert.True(_pair.Sender.LostFrames > 4);
        _pair.Sent.Clear();
        _pair.Time.Advance(TimeSpan.FromSeconds(10));
        Assert.Empty(_pair.Sent);
    }

    [Fact]
    public async Task Datagrams_after_a_handshake_are_acknowledged_together()
    {
        await SendAndDeliverAsync(count: 16);
        Assert.Equal(0, _pair.Sender.LostFrames);
        await SendAndDeliverAsync(count: 2);
        Assert.Equal(0, _pair.Sender.LostFrames);

        await SendAndDeliverAsync(count: 1);
        Assert.Equal(1, _pair.Sender.LostFrames);
        _pair.Time.Advance(TimeSpan.FromMilliseconds(20));
        Assert.Single(_pair.Answers);
        _pair.DeliverAnswers();
        Assert.Equal(0, _pair.Sender.LostFrames);
    }

    [Fact]
    public async Task Missing_datagram_is_reported_at_once()
    {
        await SendAndDeliverAsync(count: 16);
        await SendAsync(Delivery.ReliableOrdered, 1);
        await SendAsync(Delivery.ReliableOrdered, 2);
        _pair.Sent.RemoveAt(0); // lost

        _pair.DeliverAll();

        Assert.Equal(1, _pair.Sender.LostFrames);
    }

    [Fact]
    public async Task Closing_acknowledges_what_arrived()
    {
        await SendAndDeliverAsync(count: 17);
        Assert.Equal(1, _pair.Sender.LostFrames);

        await _pair.Receiver.DisposeAsync();
        _pair.DeliverAnswers();

        Assert.Equal(0, _pair.Sender.LostFrames);
    }

    [Theory]
    [InlineData(TransportCloseReason.ConnectionLost, true)]
    [InlineData(TransportCloseReason.NotReading, false)] // the connection ends because of the memory that the frames hold
    public async Task Receive_after_a_failure_returns_the_frames_that_arrived_before_a_loss_of_the_connection(TransportCloseReason reason, bool returnsFrames)
    {
        await SendAsync(Delivery.ReliableOrdered, 1);
        await SendAsync(Delivery.Unreliable, 2);
        _pair.DeliverAll();

        _pair.Receiver.Fail(reason, "The socket failed.");

        if (returnsFrames)
            Assert.Equal([1, 1, 1, 2], _pair.Received());
        var failure = await Assert.ThrowsAsync<TransportClosedException>(async () => await _pair.Receiver.ReceiveAsync(new byte[1], default));
        Assert.Equal(reason, failure.Reason);
    }

    [Fact]
    public async Task Receive_after_an_abort_returns_no_frame_although_the_connection_was_lost_before()
    {
        await SendAsync(Delivery.ReliableOrdered, 1);
        _pair.DeliverAll();
        _pair.Receiver.Fail(TransportCloseReason.ConnectionLost, "The socket failed.");

        _pair.Receiver.Abort();

        await Assert.ThrowsAsync<TransportClosedException>(async () => await _pair.Receiver.ReceiveAsync(new byte[1], default));
    }

    [Fact]
    public async Task Acknowledgements_of_datagrams_that_were_never_sent_are_malformed_and_change_nothing()
    {
        await SendAsync(Delivery.ReliableOrdered, 1);
        var number = 100ul;
        byte[][] acknowledgements =
        [
            [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], // number 1
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 1],
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2], // numbers 0 and -1
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], // no number
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1], // a gap without a range
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], // no range
        ];
        foreach (var body in acknowledgements)
            _pair.Sender.Take(PlainDatagram.Make([1, 0, 0, 0, 0, 0, 0, 0], number++, DatagramPart.Acknowledgement, body), default, out _);

        Assert.Equal(acknowledgements.Length, _pair.SenderCounts.GetDropped(DatagramDropReason.Malformed));
        Assert.Equal(1, _pair.Sender.LostFrames);
        _pair.DeliverAll();
        Assert.Equal(0, _pair.Sender.LostFrames);
    }

    [Fact]
    public async Task Data_beyond_the_room_is_not_acknowledged()
    {
        var offset = BitConverter.GetBytes((ulong)OrderedSender.InitialRoom);

        _pair.Deliver(PlainDatagram.Make([1, 0, 0, 0, 0, 0, 0, 0], 0, DatagramPart.Data, [0, .. offset, 1]));

        Assert.Equal(1, _pair.Counts.GetDropped(DatagramDropReason.OutOfOrder));
        Assert.Equal(0, _pair.AnswerCount);
        await SendAsync(Delivery.ReliableOrdered, 1);
        _pair.DeliverAll();
        Assert.Equal([1, 1], _pair.Received());
    }

    [Fact]
    public async Task Frame_larger_than_the_room_arrives_in_parts_and_other_frames_wait_for_its_end()
    {
        var size = OrderedSender.InitialRoom * 3;
        byte[] frame = [(byte)(size | 0x80), (byte)((size >> 7) | 0x80), (byte)(size >> 14), .. Enumerable.Repeat((byte)9, size)];
        var sending = _pair.Sender.SendAsync(frame, Delivery.ReliableOrdered, default).AsTask();
        _pair.Deliver();
        await SendAsync(Delivery.Unreliable, 5);

        var received = await ReceiveAllAsync(frame.Length + 2);

        await sending.InTime();
        Assert.Equal([.. frame, 1, 5], received);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [SuppressMessage("Reliability", "CA2012", Justification = "Both have completed, and Task objects would be allocated.")]
    public void Sending_and_receiving_allocates_nothing_once_everything_is_warm(bool isReliable)
    {
        var (frame, buffer) = (new byte[] { 3, 1, 2, 3 }, new byte[64]);
        var delivery = isReliable ? Delivery.ReliableOrdered : Delivery.Sequenced(1);
        _pair.DeliverAtOnce();

        var allocated = Allocation.OfThousand(() =>
        {
            _pair.Sender.SendAsync(frame, delivery, default).GetAwaiter().GetResult();
            _pair.Receiver.ReceiveAsync(buffer, default).GetAwaiter().GetResult();
        });

        Assert.Equal(0, allocated);
        Assert.InRange(_pair.Sender.LostFrames, 0, 1); // the last acknowledgement is delayed
    }

    /// <summary>Delivers everything until a number of bytes was received.</summary>
    private async Task<byte[]> ReceiveAllAsync(int count)
    {
        var received = new System.Collections.Generic.List<byte>();
        while (received.Count < count)
        {
            _pair.DeliverAll();
            received.AddRange(_pair.Received());
            _pair.DeliverAnswers();
            _pair.Time.Advance(TimeSpan.FromMilliseconds(1));
            await Task.Yield(); // the sender continues on the thread pool
        }

        return [.. received];
    }

    private async Task SendAndDeliverAsync(int count)
    {
        for (var i = 0; i < count; i++)
        {
            await SendAsync(Delivery.ReliableOrdered, 1);
            _pair.DeliverAll();
        }
    }

    private static byte[] Frames(int count) => [.. Enumerable.Range(0, count).SelectMany(static i => (byte[])[0xE8, 0x07, .. Enumerable.Repeat((byte)i, 1000)])];

    private ValueTask SendAsync(Delivery delivery, byte value) => _pair.Sender.SendAsync(new byte[] { 1, value }, delivery, default);
}
