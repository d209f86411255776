using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Queueing;

/// <summary>Each message is released once, whoever meets whom: read off the pool's counts.</summary>
[Quiet]
public sealed class MessageQueueReleaseTests
{
    private const int Producers = 3;
    private const int PerProducer = 2000;
    private readonly PoolStatistics _before = MessagePool.GetStatistics();

    [Theory]
    [InlineData(FullMode.Reject)]
    [InlineData(FullMode.DropOldest)]
    [InlineData(FullMode.Wait)]
    public async Task Messages_of_several_producers_are_handled_or_dropped_once_and_stay_in_each_ones_order(FullMode policy)
    {
        using var queue = new MessageQueue<int>(7, policy);
        var seen = new int[Producers * PerProducer];
        var last = Enumerable.Repeat(-1, Producers).ToArray();
        var outOfOrder = 0;
        var dispatcher = new MessageDispatcher<int>();
        dispatcher.Register(Numbered.Contract, (in Numbered message, ref int producer) =>
        {
            seen[message.Number]++;
            if (message.Number <= last[producer])
                outOfOrder++;
            last[producer] = message.Number;
        });

        var producing = Task.WhenAll(Enumerable.Range(0, Producers).Select(producer => Task.Run(() => Produce(queue, producer, policy))));
        var pumped = 0L;
        var pumping = Deadline.RunAside(() =>
        {
            while (!producing.IsCompleted || queue.Count > 0)
                pumped += queue.Pump(dispatcher, PumpBudget.All).Pumped;
        });
        await pumping.InTime();
        await producing.InTime();

        Assert.Equal(0, outOfOrder);
        Assert.DoesNotContain(seen, static times => times > 1);
        Assert.Equal(seen.Length - queue.Dropped, seen.Sum());
        Assert.Equal(seen.Sum(), pumped);
        if (policy != FullMode.DropOldest)
            Assert.Equal(0, queue.Dropped);
        AssertAllReleasedOnce();
    }

    [Fact]
    public async Task An_Enqueue_that_meets_a_Dispose_leaks_nothing()
    {
        const int rounds = 500;
        using var barrier = new Barrier(2);
        MessageQueue<int>? queue = null;
        var producing = Deadline.RunAside(() =>
        {
            for (var round = 0; round < rounds; round++)
            {
                Assert.True(barrier.SignalAndWait(Deadline.Length), "The other thread stopped.");
                for (var i = 0; i < 3; i++)
                {
                    var message = Numbered.Pack(i);
                    if (queue!.Enqueue(message, 0) != EnqueueStatus.Enqueued)
                        message.Dispose();
                }

                Assert.True(barrier.SignalAndWait(Deadline.Length), "The other thread stopped.");
            }
        });
        var disposing = Deadline.RunAside(() =>
        {
            for (var round = 0; round < rounds; round++)
            {
                queue = new MessageQueue<int>(4);
                Assert.True(barrier.SignalAndWait(Deadline.Length), "The other thread stopped.");
                queue.Dispose();
                Assert.True(barrier.SignalAndWait(Deadline.Length), "The other thread stopped.");
            }
        });

        await Task.WhenAll(producing, disposing).InTime();

        AssertAllReleasedOnce();
    }

    [Fact]
    public void Dispose_releases_everything_that_waits()
    {
        var queue = new MessageQueue<int>(100);
        for (var i = 0; i < 100; i++)
            queue.Enqueue(Numbered.Pack(i), 0);
        Assert.Equal(_before.Outstanding + 100, MessagePool.GetStatistics().Outstanding);

        queue.Dispose();

        AssertAllReleasedOnce();
    }

    [Fact]
    public void A_message_that_its_producer_released_is_not_returned_a_second_time()
    {
        using var queue = new MessageQueue<int>(2);
        var message = Numbered.Pack(1);
        queue.Enqueue(message, 0);
        message.Dispose();

        queue.Dispose();

        var now = MessagePool.GetStatistics();
        Assert.Equal((_before.Outstanding, _before.SecondReleases + 1), (now.Outstanding, now.SecondReleases));
    }

    private static async Task Produce(MessageQueue<int> queue, int producer, FullMode policy)
    {
        for (var i = 0; i < PerProducer; i++)
        {
            var message = Numbered.Pack((producer * PerProducer) + i);
            if (policy == FullMode.Wait)
            {
                Assert.Equal(EnqueueStatus.Enqueued, await queue.EnqueueAsync(message, producer));
                continue;
            }

            while (queue.Enqueue(message, producer) == EnqueueStatus.Full)
                await Task.Yield();
        }
    }

    private void AssertAllReleasedOnce()
    {
        var now = MessagePool.GetStatistics();
        Assert.Equal((_before.Outstanding, _before.SecondReleases), (now.Outstanding, now.SecondReleases));
    }
}
