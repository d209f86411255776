using System;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Threading.Tasks;
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
        for (byte i = 1; i <= 3; i++)
            await SendAsync(Delivery.ReliableOrdered, i);
        _pair.Sent.RemoveAt(0); // lost
        _pair.DeliverAll();
        Assert.Empty(_pair.Received());

        _pair.Time.Advance(TimeSpan.FromMilliseconds(100));
        Assert.Single(_pair.Sent); // the others were acknowledged
        _pair.DeliverAll();
        Assert.Equal([1, 1, 1, 2, 1, 3], _pair.Received());
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
    public async Task Barrier_completes_when_all_reliable_frames_have_arrived()
    {
        await SendAsync(Delivery.ReliableOrdered, 1);
        var barrier = SendAsync(Delivery.Reliable, 2).AsTask();

        _pair.Deliver(1);
        Assert.False(barrier.IsCompleted);
        _pair.Deliver(0);

        await barrier.InTime();
        Assert.Equal([1, 1, 1, 2], _pair.Received());
    }

    [Fact]
    public async Task Sender_waits_while_32_segments_are_unacknowledged()
    {
        for (byte i = 0; i < ReliableSender.Window; i++)
            Assert.True(SendAsync(Delivery.ReliableOrdered, i).AsTask().IsCompletedSuccessfully);
        var waiting = SendAsync(Delivery.ReliableOrdered, ReliableSender.Window).AsTask();

        _pair.Deliver(1); // the first is missing, so that there is no room
        Assert.False(waiting.IsCompleted);
        _pair.Deliver(0);
        await waiting.InTime();

        _pair.DeliverAll();
        Assert.Equal(Enumerable.Range(0, ReliableSender.Window + 1).SelectMany(static i => new byte[] { 1, (byte)i }), _pair.Received());
    }

    [Fact]
    public async Task Closed_channel_ends_a_waiting_send_and_counts_what_did_not_arrive()
    {
        for (byte i = 0; i < ReliableSender.Window; i++)
            await _pair.Sender.SendAsync(new byte[] { 1, i, 1, i }, Delivery.ReliableOrdered, default);
        var waiting = SendAsync(Delivery.ReliableOrdered, 1).AsTask();
        _pair.Deliver(0);
        await waiting.InTime();
        waiting = SendAsync(Delivery.ReliableOrdered, 1).AsTask();

        await _pair.Sender.DisposeAsync();

        await Assert.ThrowsAsync<TransportClosedException>(() => waiting.InTime());
        Assert.Equal((2 * (ReliableSender.Window - 1)) + 1, _pair.Sender.LostFrames);
        _pair.Sent.Clear();
        _pair.Time.Advance(TimeSpan.FromSeconds(10));
        Assert.Empty(_pair.Sent);
    }

    [Fact]
    public async Task Segment_is_resent_after_longer_and_longer_times()
    {
        await SendAsync(Delivery.ReliableOrdered, 1);
        _pair.Sent.Clear();

        foreach (var wait in new[] { 100, 200, 400, 500, 500 }) // milliseconds
        {
            _pair.Time.Advance(TimeSpan.FromMilliseconds(wait - 1));
            Assert.Empty(_pair.Sent);
            _pair.Time.Advance(TimeSpan.FromMilliseconds(1));
            Assert.Single(_pair.Sent);
            _pair.Sent.Clear();
        }
    }

    [Fact]
    public async Task First_resend_waits_for_twice_the_round_trip()
    {
        await SendAsync(Delivery.ReliableOrdered, 1);
        _pair.Time.Advance(TimeSpan.FromMilliseconds(90));
        _pair.Deliver();
        await SendAsync(Delivery.ReliableOrdered, 2);
        _pair.Sent.Clear();

        _pair.Time.Advance(TimeSpan.FromMilliseconds(179));
        Assert.Empty(_pair.Sent);
        _pair.Time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Single(_pair.Sent);
    }

    [Fact]
    public async Task Segments_after_a_handshake_are_acknowledged_together()
    {
        await SendAndDeliverAsync(count: 16);
        Assert.Equal(0, _pair.Sender.LostFrames);

        await SendAndDeliverAsync(count: 1);
        _pair.Time.Advance(TimeSpan.FromMilliseconds(19));
        Assert.Empty(_pair.Answers);
        _pair.Time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Single(_pair.Answers);
        _pair.DeliverAnswers();
        Assert.Equal(0, _pair.Sender.LostFrames);

        await SendAndDeliverAsync(count: 7);
        Assert.Equal(7, _pair.Sender.LostFrames);
        await SendAndDeliverAsync(count: 1);
        Assert.Equal(0, _pair.Sender.LostFrames);
    }

    [Fact]
    public async Task Missing_segment_is_reported_at_once()
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

    [Fact]
    public async Task Old_and_forged_acknowledgements_change_nothing()
    {
        await SendAsync(Delivery.ReliableOrdered, 1);
        await SendAsync(Delivery.ReliableOrdered, 2);
        _pair.DeliverAll();
        await SendAsync(Delivery.ReliableOrdered, 3);
        foreach (var missing in new byte[] { 0, 1, 4, 200 })
            _pair.Sender.Take([DatagramFormat.Plain, 1, 0, 0, 0, 0, 0, 0, 0, (byte)DatagramPart.Acknowledgement, missing, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], default, out _);

        Assert.Equal(1, _pair.Sender.LostFrames);
        _pair.DeliverAll();
        Assert.Equal(0, _pair.Sender.LostFrames);
        Assert.Equal([1, 1, 1, 2, 1, 3], _pair.Received());
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
        Assert.InRange(_pair.Sender.LostFrames!.Value, 0, 7); // the last acknowledgement is delayed
    }

    private async Task SendAndDeliverAsync(int count)
    {
        for (var i = 0; i < count; i++)
        {
            await SendAsync(Delivery.ReliableOrdered, 1);
            _pair.DeliverAll();
        }
    }

    private ValueTask SendAsync(Delivery delivery, byte value) => _pair.Sender.SendAsync(new byte[] { 1, value }, delivery, default);
}
