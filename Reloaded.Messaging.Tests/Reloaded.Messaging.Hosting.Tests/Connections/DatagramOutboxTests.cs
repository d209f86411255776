using System.Diagnostics.CodeAnalysis;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>The outbox over a channel with a queue for each order.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The channel holds no resources.")]
public sealed class DatagramOutboxTests
{
    private static readonly byte[] s_ping = [1, 5, 0, 0, 0];
    private static readonly byte[] s_note = [3, .. new byte[80]];

    private readonly EventDeliveries _deliveries = new();
    private readonly DeliveringChannel _channel = new();

    [Fact]
    public void Remote_side_that_does_not_read_sequenced_events_receives_them_reliably()
    {
        _deliveries.Set(MessageContract.GetDeclared<Ping>(), DeliveryMode.Sequenced);
        var outbox = NewOutbox();

        outbox.Append(s_ping);
        outbox.IsSequencedReadable = true;
        outbox.Append(s_ping);

        Assert.Equal([Delivery.ReliableOrdered, Delivery.Sequenced(0)], _channel.Deliveries);
    }

    [Fact]
    public async Task Full_order_refuses_its_messages_and_no_others_until_its_bytes_have_left()
    {
        _deliveries.Set(MessageContract.GetDeclared<Note>(), DeliveryMode.ReliableByType);
        _deliveries.Set(MessageContract.GetDeclared<Ping>(), DeliveryMode.ReliableOrdered);
        var outbox = NewOutbox(maxPending: 100);

        Assert.Equal(SendStatus.Sent, outbox.Append(s_note));
        Assert.Equal(SendStatus.Full, outbox.Append(s_note));
        var room = outbox.WaitForRoomAsync(s_note.Length, Delivery.ReliableByType(0));
        Assert.False(room.IsCompleted);
        Assert.True(outbox.WaitForRoomAsync(s_ping.Length, Delivery.ReliableOrdered).IsCompleted);
        Assert.Equal(SendStatus.Sent, outbox.Append(s_ping));
        _channel.Release(Delivery.ReliableByType(0));

        await room.InTime();
        Assert.Equal(SendStatus.Sent, outbox.Append(s_note));
    }

    [Fact]
    public void Control_message_is_queued_although_its_order_is_full()
    {
        var outbox = NewOutbox(maxPending: 10);
        Append(outbox, s_note, Delivery.ReliableOrdered);

        var control = new OutgoingFrame(s_ping) { IsControl = true, Delivery = Delivery.ReliableOrdered };
        Assert.Equal(SendStatus.Sent, outbox.Append(ref control));
    }

    [Fact]
    public void Reply_has_its_own_limit_beside_a_message_above_the_limit_of_messages()
    {
        var outbox = NewOutbox(maxPending: 100);
        Append(outbox, new byte[1000], Delivery.ReliableOrdered);

        Assert.Equal(SendStatus.Sent, Reply());
        Assert.Equal(SendStatus.Full, Reply());
        _channel.Release(Delivery.ReliableOrdered);
        Assert.Equal(SendStatus.Sent, Reply());
        Assert.Equal(SendStatus.Sent, Reply());
        Assert.Equal(SendStatus.Full, Reply()); // the allowance ends with the large message

        SendStatus Reply()
        {
            var frame = new OutgoingFrame(new byte[100]) { Delivery = Delivery.ReliableOrdered, MaxPending = 200 };
            return outbox.Append(ref frame);
        }
    }

    [Fact]
    public async Task Message_that_is_sent_while_deferred_messages_move_to_the_channel_follows_them()
    {
        var outbox = NewOutbox();
        _channel.Queuing = () =>
        {
            _channel.Queuing = null;
            Append(outbox, s_ping, Delivery.ReliableOrdered);
        };
        var deferred = new OutgoingFrame(s_note) { Delivery = Delivery.ReliableOrdered, IsDeferred = true };

        Assert.Equal(SendStatus.Sent, outbox.Append(ref deferred));
        await Signal.UntilAsync(() => _channel.Messages.Count == 2);

        Assert.Equal([s_note, s_ping], _channel.Messages);
    }

    [Fact]
    public async Task Corked_messages_are_flushed_together()
    {
        var outbox = NewOutbox();
        outbox.Cork();
        outbox.Cork();
        outbox.Append(s_ping);
        outbox.Append(s_ping);
        outbox.Uncork();
        Assert.Equal(0, _channel.Flushes);

        outbox.Uncork();
        Assert.Equal(1, _channel.Flushes);
        outbox.Cork();
        outbox.Uncork();
        Assert.Equal(1, _channel.Flushes); // nothing was queued since

        outbox.Append(s_ping);
        await Signal.UntilAsync(() => _channel.Flushes == 2);
    }

    [Fact]
    public async Task Corked_bytes_above_the_limit_are_flushed()
    {
        var outbox = NewOutbox();
        outbox.Cork();
        outbox.Append(new byte[60_000]);
        Assert.Equal(0, _channel.Flushes);
        outbox.Append(new byte[60_000]);

        await Signal.UntilAsync(() => _channel.Flushes == 1);
    }

    [Fact]
    public async Task Large_pending_bytes_count_towards_the_total_until_they_have_left()
    {
        var total = new PendingTotal(200_000);
        var outbox = NewOutbox(total: total);
        Append(outbox, new byte[60_000], Delivery.ReliableOrdered);
        Assert.Equal(0, total.Taken);
        Append(outbox, new byte[60_000], Delivery.ReliableOrdered);
        Assert.InRange(total.Taken, 120_000, 200_000);
        var other = new DatagramOutbox(new DeliveringChannel(), _deliveries, 1_000_000, static _ => { }, total);

        Assert.Equal((SendStatus.Full, true), AppendLarge());
        var room = other.WaitForRoomAsync(100_000, Delivery.ReliableOrdered);
        Assert.False(room.IsCompleted);
        _channel.Release(Delivery.ReliableOrdered);

        Assert.Equal((0, 0), (total.Taken, outbox.ChargedBytes));
        await room.InTime();
        Assert.Equal((SendStatus.Sent, false), AppendLarge());
        other.Close();
        Assert.Equal(0, total.Taken);

        (SendStatus, bool) AppendLarge()
        {
            var frame = new OutgoingFrame(new byte[100_000]) { Delivery = Delivery.ReliableOrdered };
            return (other.Append(ref frame), frame.LacksTotal);
        }
    }

    [Fact]
    public async Task Sealed_outbox_refuses_messages_and_ends_waits()
    {
        var outbox = NewOutbox(maxPending: 10);
        Append(outbox, s_note, Delivery.ReliableOrdered);
        var room = outbox.WaitForRoomAsync(10, Delivery.ReliableOrdered);

        Assert.True(outbox.TrySeal(s_ping));

        await room.InTime();
        Assert.Equal(s_ping, _channel.Last!);
        Assert.False(outbox.TrySeal(s_ping));
        Assert.Equal(SendStatus.Closed, outbox.Append(s_ping));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Channel_that_throws_closes_the_outbox_and_is_reported_once(bool atFlush)
    {
        var failures = 0;
        var outbox = new DatagramOutbox(_channel, _deliveries, 1000, _ => failures++);
        outbox.Cork();
        outbox.Append(s_ping);
        _channel.Failure = new InvalidOperationException("thrown");

        if (atFlush)
            outbox.Uncork();
        else
            Assert.Equal(SendStatus.Closed, outbox.Append(s_ping));
        await outbox.FlushAsync().InTime();

        Assert.Equal((1, SendStatus.Closed, true), (failures, outbox.Append(s_ping), outbox.IsClosed));
    }

    [Fact]
    public async Task Room_that_deferred_messages_took_is_there_once_they_were_moved()
    {
        var outbox = NewOutbox(maxPending: 100);
        Defer(outbox, s_note);
        var room = outbox.WaitForRoomAsync(s_note.Length, Delivery.ReliableOrdered);
        Assert.False(room.IsCompleted);

        outbox.Execute();

        await room.InTime();
        Append(outbox, s_note, Delivery.ReliableOrdered);
    }

    /// <summary>The thread that moves a deferred message may have nothing else to flush: its own message is refused.</summary>
    [Fact]
    public async Task Deferred_message_whose_flush_ended_before_it_was_moved_is_flushed()
    {
        var outbox = NewOutbox(maxPending: 1);
        Append(outbox, [3], Delivery.ReliableOrdered); // the order has no room for another message
        await Signal.UntilAsync(() => _channel.Flushes > 0);
        Defer(outbox, s_ping);
        var flushes = 0;
        _channel.Queuing = () =>
        {
            _channel.Queuing = null;
            Task.Run(outbox.Execute).InTime().GetAwaiter().GetResult(); // this thread moves the message: the other one flushes without it
            flushes = _channel.Flushes;
        };

        var frame = new OutgoingFrame(s_note) { Delivery = Delivery.ReliableOrdered };
        Assert.Equal(SendStatus.Full, outbox.Append(ref frame));

        outbox.Uncork();

        Assert.InRange(flushes, 1, _channel.Flushes - 1);
        Assert.Equal(s_ping, _channel.Messages[^1]);
    }

    /// <summary>Each peer over datagrams defers a measurement of its round trip every two seconds, and the reply to one.</summary>
    [Fact]
    public void Deferred_messages_allocate_nothing_once_there_were_as_many()
    {
        var outbox = new DatagramOutbox(new Sink(), _deliveries, 1_000_000, static _ => { });
        var refused = 0;
        outbox.Cork(); // the thread pool moves nothing
        Defer(100);
        var before = GC.GetAllocatedBytesForCurrentThread();

        Defer(1000);

        Assert.Equal((0, 0), (GC.GetAllocatedBytesForCurrentThread() - before, refused));

        void Defer(int count)
        {
            for (var i = 0; i < count; i++)
            {
                for (var message = 0; message < 3; message++)
                {
                    var frame = new OutgoingFrame(s_ping) { IsControl = true, IsDeferred = true, Delivery = Delivery.Unreliable };
                    refused += outbox.Append(ref frame) == SendStatus.Sent ? 0 : 1; // an assertion allocates
                }

                outbox.Execute();
            }
        }
    }

    /// <summary>What a burst needs above 4 KiB does not stay with the peer, nor its list.</summary>
    [Theory]
    [InlineData(81, 8_000)]
    [InlineData(0, 2_000)]
    public void A_burst_of_deferred_messages_is_not_kept(int size, int least)
    {
        var (frames, message) = (new DeferredFrames(), new byte[size]);
        Fill();
        frames.Clear();
        var before = GC.GetAllocatedBytesForCurrentThread();

        Fill();

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, least, int.MaxValue);

        void Fill()
        {
            for (var i = 0; i < 150; i++)
                frames.Add(new OutgoingFrame(message), Delivery.ReliableOrdered, null);
        }
    }

    private static void Append(Outbox outbox, byte[] message, Delivery delivery)
    {
        var frame = new OutgoingFrame(message) { Delivery = delivery };
        Assert.Equal(SendStatus.Sent, outbox.Append(ref frame));
    }

    private static void Defer(Outbox outbox, byte[] message)
    {
        outbox.Cork(); // the thread pool does not move it
        var frame = new OutgoingFrame(message) { IsControl = true, IsDeferred = true, Delivery = Delivery.Unreliable };
        Assert.Equal(SendStatus.Sent, outbox.Append(ref frame));
    }

    private DatagramOutbox NewOutbox(int maxPending = 1_000_000, PendingTotal? total = null) => new(_channel, _deliveries, maxPending, static _ => { }, total);

    /// <summary>Accepts everything, and keeps nothing.</summary>
    private sealed class Sink : DatagramChannel
    {
        public override string RemoteName => "nobody";

        public override int PendingBytes => 0;

        public override bool TryQueue(ReadOnlySpan<byte> message, Delivery delivery, int maxPending, ReadOnlySpan<byte> before = default) => true;

        public override bool HasRoom(int size, Delivery delivery, int maxPending) => true;

        public override void Flush()
        {
        }

        public override Task FlushAsync() => Task.CompletedTask;

        public override void Seal(ReadOnlySpan<byte> last)
        {
        }

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => throw new NotSupportedException();

        public override void Abort()
        {
        }

        public override ValueTask DisposeAsync() => default;
    }
}
