using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Queueing;

[Quiet]
public sealed class MessageFilterTests
{
    [Fact]
    public void What_a_filter_leaves_stays_in_order_in_front_of_what_comes_later()
    {
        using var queue = Filled(10, 0, 1, 2, 3, 4, 5);

        Assert.Equal([1, 4], Numbers.Pump(queue, PumpBudget.All, 1, 4));
        Assert.Equal(4, queue.Count);
        queue.Enqueue(Numbered.Pack(6), "me");
        Assert.Equal([2, 6], Numbers.Pump(queue, PumpBudget.All, 2, 6));

        Assert.Equal([0, 3, 5], Received.Drain(queue));
        Assert.Equal(0, queue.Count);
    }

    [Fact]
    public void A_budget_that_ends_among_what_was_left_changes_no_order()
    {
        using var queue = Filled(10, 0, 1, 2, 3, 4, 5);
        Numbers.Pump(queue, PumpBudget.All);

        Assert.Equal([1, 2], Numbers.Pump(queue, PumpBudget.Messages(2), 1, 2, 4));

        Assert.Equal([0, 3, 4, 5], Received.Drain(queue));
    }

    [Fact]
    public void The_filter_is_asked_once_for_each_message_and_keeps_what_it_notes()
    {
        using var queue = Filled(10, 0, 1, 2, 3);
        var (state, filter) = (new Received(), new Numbers(0, 3));

        var first = queue.Pump(Received.CreateDispatcher(), ref state, ref filter, PumpBudget.All);
        var second = queue.Pump(Received.CreateDispatcher(), ref state, ref filter, PumpBudget.All);

        Assert.Equal(new PumpResult(2, 2, 2), first);
        Assert.Equal(new PumpResult(0, 0, 2), second);
        Assert.Equal(6, filter.Asked);
    }

    [Theory]
    [InlineData(FullMode.Reject)]
    [InlineData(FullMode.DropOldest)]
    public void A_queue_full_of_what_was_left_refuses_more_and_takes_it_again_afterwards(FullMode policy)
    {
        using var queue = new MessageQueue<string>(4, policy);
        for (var i = 0; i < 4; i++)
            queue.Enqueue(Numbered.Pack(i), "me");
        Numbers.Pump(queue, PumpBudget.All);

        using var message = Numbered.Pack(4);
        Assert.Equal(EnqueueStatus.Full, queue.Enqueue(message, "me"));
        Assert.Equal([1], Numbers.Pump(queue, PumpBudget.All, 1));
        Assert.Equal(EnqueueStatus.Enqueued, queue.Enqueue(Numbered.Pack(5), "me"));
        using var another = Numbered.Pack(6);
        Assert.Equal(policy == FullMode.Reject ? EnqueueStatus.Full : EnqueueStatus.DroppedOldest, queue.Enqueue(another, "me"));

        Assert.Equal(policy == FullMode.Reject ? [0, 2, 3, 5] : [0, 2, 3, 6], Received.Drain(queue));
        for (var i = 0; i < 4; i++)
            Assert.Equal(EnqueueStatus.Enqueued, queue.Enqueue(Numbered.Pack(i), "me"));
        Assert.Equal(4, queue.Count);
    }

    [Fact]
    public async Task A_producer_that_waits_goes_on_when_what_was_left_is_taken()
    {
        using var queue = new MessageQueue<string>(2, FullMode.Wait);
        queue.Enqueue(Numbered.Pack(0), "me");
        queue.Enqueue(Numbered.Pack(1), "me");
        Numbers.Pump(queue, PumpBudget.All);

        var waiting = queue.EnqueueAsync(Numbered.Pack(2), "me").AsTask();
        Assert.False(waiting.IsCompleted);
        Assert.Equal([1], Numbers.Pump(queue, PumpBudget.All, 1));

        Assert.Equal(EnqueueStatus.Enqueued, await waiting.InTime());
        Assert.Equal([0, 2], Received.Drain(queue));
    }

    [Fact]
    public void An_exception_costs_its_message_alone()
    {
        using var queue = Filled(4, 0, Numbers.Thrown, 1, 2);
        Assert.Throws<InvalidOperationException>(() => Numbers.Pump(queue, PumpBudget.All, 2));
        Assert.Equal([2], Numbers.Pump(queue, PumpBudget.All, 2));

        var dispatcher = new MessageDispatcher<Received>();
        dispatcher.Register(Numbered.Contract, static (in Numbered _, ref Received _) => throw new InvalidOperationException("from the handler"));
        Assert.Throws<InvalidOperationException>(() =>
        {
            var (state, filter) = (new Received(), new Numbers(0));
            queue.Pump(dispatcher, ref state, ref filter, PumpBudget.All);
        });

        queue.Enqueue(Numbered.Pack(3), "me");
        Assert.Equal([1, 3], Received.Drain(queue));
        for (var i = 0; i < 4; i++)
            Assert.Equal(EnqueueStatus.Enqueued, queue.Enqueue(Numbered.Pack(i), "me"));
    }

    [Theory]
    [InlineData(1, false, EnqueueStatus.Full)]
    [InlineData(2, false, EnqueueStatus.DroppedOldest)]
    [InlineData(2, true, EnqueueStatus.Full)]
    [InlineData(3, false, EnqueueStatus.Enqueued)]
    public async Task What_a_filter_is_asked_about_keeps_its_place_and_is_not_waited_for(int capacity, bool isFirstLeft, EnqueueStatus expected)
    {
        using var queue = new MessageQueue<string>(capacity, FullMode.DropOldest);
        queue.Enqueue(Numbered.Pack(0), "me");
        if (isFirstLeft)
            Numbers.Pump(queue, PumpBudget.All);
        if (capacity > 1)
            queue.Enqueue(Numbered.Pack(1), "me");
        var (state, filter) = (new Received(), new Enqueueing(queue, isFirstLeft ? 1 : 0));

        await Deadline.RunAside(() => queue.Pump(Received.CreateDispatcher(), ref state, ref filter, PumpBudget.All)).InTime();

        Assert.Equal(expected, filter.Status);
        Assert.InRange(queue.Count, 1, capacity);
    }

    [Fact]
    public void A_pump_without_a_filter_takes_what_was_left_first()
    {
        using var queue = Filled(4, 0, 1);
        Numbers.Pump(queue, PumpBudget.All);
        queue.Enqueue(Numbered.Pack(2), "me");
        var state = new Received();

        queue.Pump(Received.CreateDispatcher(), ref state, PumpBudget.Messages(1));
        Assert.Equal([0], state.Messages.Select(message => message.Number));

        Assert.Equal([1, 2], Received.Drain(queue));
    }

    [Fact]
    public void Dispose_releases_what_was_left()
    {
        var before = MessagePool.GetStatistics().Outstanding;
        var queue = Filled(4, 0, 1, 2);
        Numbers.Pump(queue, PumpBudget.All, 1);
        Assert.Equal(before + 2, MessagePool.GetStatistics().Outstanding);

        queue.Dispose();

        Assert.Equal(before, MessagePool.GetStatistics().Outstanding);
    }

    [Fact]
    public void A_filtered_pump_allocates_nothing()
    {
        using var queue = new MessageQueue<long>(8);
        var dispatcher = new MessageDispatcher<Sum>();
        dispatcher.Register(Numbered.Contract, static (in Numbered message, ref Sum sum) => sum.Value += message.Number);
        var (sum, some, all) = (default(Sum), new Numbers(1, 3), new Numbers(0, 1, 2, 3));

        var bytes = Allocation.OfThousand(() =>
        {
            for (var i = 0; i < 4; i++)
                queue.Enqueue(Numbered.Pack(i), 1);
            queue.Pump(dispatcher, ref sum, ref some, PumpBudget.All);
            queue.Pump(dispatcher, ref sum, ref all, PumpBudget.All);
        });

        Assert.Equal(0, bytes);
        Assert.Equal(0, queue.Count);
        Assert.Equal(0, sum.Value % 6);
        Assert.NotEqual(0, sum.Value);
    }

    private static MessageQueue<string> Filled(int capacity, params int[] numbers)
    {
        var queue = new MessageQueue<string>(capacity);
        foreach (var number in numbers)
            queue.Enqueue(Numbered.Pack(number), "me");
        return queue;
    }

    /// <summary>Takes nothing, and enqueues a message when it is asked about a certain one.</summary>
    private struct Enqueueing(MessageQueue<string> queue, int at) : IMessageFilter<string>
    {
        private int _asked;

        public EnqueueStatus Status { get; private set; }

        public bool Takes(ReadOnlySpan<byte> message, string sender)
        {
            if (_asked++ != at)
                return false;
            var added = Numbered.Pack(9);
            Status = queue.Enqueue(added, "filter");
            if (Status == EnqueueStatus.Full)
                added.Dispose();
            return false;
        }
    }

    private struct Sum : IPumpState<long>
    {
        public long Value;

        public void SetSender(long sender) => Value += sender - 1;
    }
}
