using System.Linq;
using System.Reflection;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Queueing;

public sealed class MessageQueueTests
{
    [Fact]
    public void Messages_of_one_producer_come_out_in_order()
    {
        using var queue = new MessageQueue<string>(100);

        for (var i = 0; i < 100; i++)
            Assert.Equal(EnqueueStatus.Enqueued, queue.Enqueue(Numbered.Pack(i), "me"));

        Assert.Equal(Enumerable.Range(0, 100), Received.Drain(queue));
    }

    [Theory]
    [InlineData(FullMode.Reject)]
    [InlineData(FullMode.Wait)]
    public async Task A_released_message_is_refused_where_it_is_enqueued(FullMode policy)
    {
        using var queue = new MessageQueue<string>(3, policy);
        var released = Numbered.Pack(1);
        released.Dispose();

        Assert.Throws<ObjectDisposedException>(() => queue.Enqueue(released, "me"));
        Assert.Throws<ObjectDisposedException>(() => queue.Enqueue(default, "me"));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await queue.EnqueueAsync(released, "me"));

        Assert.Equal(0, queue.Count);
    }

    [Fact]
    public void A_message_that_its_producer_releases_all_the_same_costs_the_pump_that_one_alone()
    {
        using var queue = new MessageQueue<string>(3);
        var released = Numbered.Pack(1);
        queue.Enqueue(released, "me");
        queue.Enqueue(Numbered.Pack(2), "me");
        released.Dispose();

        Assert.Throws<ObjectDisposedException>(() => Received.Drain(queue));

        Assert.Equal([2], Received.Drain(queue));
    }

    [Fact]
    public void Messages_stay_in_order_when_the_queue_goes_round()
    {
        using var queue = new MessageQueue<string>(3);
        var next = 0;

        for (var round = 0; round < 10; round++)
        {
            var first = next;
            for (var i = 0; i < 2; i++)
                queue.Enqueue(Numbered.Pack(next++), "me");
            Assert.Equal([first, first + 1], Received.Drain(queue));
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(5)]
    [InlineData(8)]
    [InlineData(1000)]
    public void A_queue_holds_exactly_its_capacity_however_often_it_went_round(int capacity)
    {
        using var queue = new MessageQueue<string>(capacity);
        Assert.Equal(capacity, queue.Capacity);

        for (var round = 1; round <= 3; round++)
        {
            for (var i = 0; i < capacity; i++)
            {
                Assert.Equal(i, queue.Count);
                Assert.Equal(EnqueueStatus.Enqueued, queue.Enqueue(Numbered.Pack(i), "me"));
            }

            using var oneTooMany = Numbered.Pack(-1);
            Assert.Equal(EnqueueStatus.Full, queue.Enqueue(oneTooMany, "me"));
            Assert.Equal((capacity, round), (queue.Count, queue.Rejected));
            Assert.Equal(Enumerable.Range(0, capacity), Received.Drain(queue));
            Assert.Equal(0, queue.Count);
        }
    }

    [Fact]
    public async Task Reject_refuses_a_message_and_leaves_it_with_its_producer()
    {
        using var queue = new MessageQueue<string>(1, FullMode.Reject);
        queue.Enqueue(Numbered.Pack(1), "me");
        using var message = Numbered.Pack(2);

        Assert.Equal(EnqueueStatus.Full, queue.Enqueue(message, "me"));
        Assert.Equal(EnqueueStatus.Full, await queue.EnqueueAsync(message, "me"));

        Assert.False(message.IsReleased);
        Assert.Equal((2, 0, 0), (queue.Rejected, queue.Dropped, queue.Waited));
        Assert.Equal([1], Received.Drain(queue));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task DropOldest_releases_the_oldest_message_and_takes_the_new_one(int capacity)
    {
        using var queue = new MessageQueue<string>(capacity, FullMode.DropOldest);
        var messages = Enumerable.Range(0, capacity + 2).Select(Numbered.Pack).ToArray();

        foreach (var message in messages[..capacity])
            Assert.Equal(EnqueueStatus.Enqueued, queue.Enqueue(message, "me"));
        Assert.Equal(EnqueueStatus.DroppedOldest, queue.Enqueue(messages[capacity], "me"));
        Assert.Equal(EnqueueStatus.DroppedOldest, await queue.EnqueueAsync(messages[capacity + 1], "me"));

        Assert.Equal(messages.Select((_, i) => i < 2), messages.Select(static message => message.IsReleased));
        Assert.Equal((0, 2, 0), (queue.Rejected, queue.Dropped, queue.Waited));
        Assert.Equal(Enumerable.Range(2, capacity), Received.Drain(queue));
    }

    [Fact]
    public async Task DropOldest_drops_nothing_while_another_thread_is_taking_the_message_that_makes_room()
    {
        var queue = new MessageQueue<string>(4, FullMode.DropOldest);
        var first = Numbered.Pack(0);
        queue.Enqueue(first, "me");
        for (var i = 1; i < 4; i++)
            queue.Enqueue(Numbered.Pack(i), "me");
        StopTaking(queue);
        using var added = Numbered.Pack(4);
        using var begun = new ManualResetEventSlim();

        var adding = Deadline.RunAside(() =>
        {
            begun.Set();
            return queue.Enqueue(added, "me");
        });
        begun.WaitInTime();
        Assert.False(adding.IsCompleted);
        Assert.Equal(3, queue.Count);
        queue.Dispose();

        Assert.Equal(EnqueueStatus.Closed, await adding.InTime());
        Assert.Equal(0, queue.Dropped);
        first.Dispose();
    }

    [Fact]
    public void A_plain_Enqueue_never_waits()
    {
        using var queue = new MessageQueue<string>(1, FullMode.Wait);
        queue.Enqueue(Numbered.Pack(1), "me");
        using var message = Numbered.Pack(2);

        Assert.Equal(EnqueueStatus.Full, queue.Enqueue(message, "me"));

        Assert.False(message.IsReleased);
        Assert.Equal((1, 0, 0), (queue.Rejected, queue.Dropped, queue.Waited));
    }

    [Theory]
    [InlineData(FullMode.Reject)]
    [InlineData(FullMode.DropOldest)]
    [InlineData(FullMode.Wait)]
    public async Task A_disposed_queue_releases_what_it_held_and_takes_nothing(FullMode policy)
    {
        var queue = new MessageQueue<string>(3, policy);
        var held = new[] { Numbered.Pack(1), Numbered.Pack(2) };
        foreach (var message in held)
            queue.Enqueue(message, "me");
        using var late = Numbered.Pack(3);

        queue.Dispose();
        queue.Dispose();

        Assert.All(held, static message => Assert.True(message.IsReleased));
        Assert.Equal(EnqueueStatus.Closed, queue.Enqueue(late, "me"));
        Assert.Equal(EnqueueStatus.Closed, await queue.EnqueueAsync(late, "me"));
        Assert.False(late.IsReleased);
        Assert.Equal(0, queue.Count);
        Assert.Empty(Received.Drain(queue));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData((1 << 24) + 1)]
    public void A_capacity_out_of_range_is_refused(int capacity)
    {
        var error = Assert.Throws<ArgumentOutOfRangeException>(() => new MessageQueue<string>(capacity));

        Assert.Equal((nameof(capacity), capacity), (error.ParamName, error.ActualValue));
    }

    [Theory]
    [InlineData(FullMode.Reject - 1)]
    [InlineData(FullMode.Wait + 1)]
    public void Unknown_full_mode_is_refused(FullMode fullMode)
    {
        var error = Assert.Throws<ArgumentOutOfRangeException>(() => new MessageQueue<string>(1, fullMode));

        Assert.Equal((nameof(fullMode), fullMode), (error.ParamName, error.ActualValue));
        Assert.StartsWith($"fullMode is {fullMode}; a message queue accepts Reject or DropOldest or Wait. Pass one of these values.", error.Message, StringComparison.Ordinal);
    }

    /// <summary>What a take leaves that is stopped half-way: the oldest message is its own, and the slot is not given back.</summary>
    private static void StopTaking(MessageQueue<string> queue)
    {
        var ring = typeof(MessageQueue<string>).GetField("_ring", BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(queue)!;
        var field = ring.GetType().GetField("_ends", BindingFlags.Instance | BindingFlags.NonPublic)!;
        var ends = (RingEnds)field.GetValue(ring)!;
        ends.Head++;
        field.SetValue(ring, ends);
    }
}
