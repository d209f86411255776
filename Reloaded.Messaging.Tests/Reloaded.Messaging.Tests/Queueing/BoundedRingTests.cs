using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Queueing;

public sealed class BoundedRingTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(7)]
    public void It_is_full_at_its_capacity_and_gives_back_in_order(int capacity)
    {
        var ring = new BoundedRing<int>(capacity);
        var next = 0;
        for (var round = 0; round < 5; round++)
        {
            var first = next;
            for (var i = 0; i < capacity; i++)
                Assert.True(ring.TryAdd(next++));
            Assert.False(ring.TryAdd(-1));
            Assert.Equal(capacity, ring.Count);

            for (var i = 0; i < capacity; i++)
            {
                Assert.True(ring.TryTake(out var item));
                Assert.Equal(first + i, item);
            }

            Assert.False(ring.TryTake(out _));
            Assert.Equal(0, ring.Count);
        }
    }

    [Fact]
    public void It_lets_go_of_what_was_taken()
    {
        var ring = new BoundedRing<object>(1);
        var item = AddAndTake(ring);

        GC.Collect();

        Assert.False(item.IsAlive);
        Assert.True(ring.TryAdd(new object()));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(64)]
    public async Task Several_threads_add_and_take_each_item_once_and_in_order(int capacity)
    {
        const int threads = 2;
        var perProducer = Extent.Of(200, 2_000);
        var ring = new BoundedRing<(int Producer, int Number)>(capacity);
        var left = threads * perProducer;

        var producers = Enumerable.Range(0, threads).Select(producer => Deadline.RunAside(() =>
        {
            for (var i = 0; i < perProducer; i++)
            {
                var spin = default(SpinWait);
                while (!ring.TryAdd((producer, i)))
                    spin.SpinOnce(sleep1Threshold: -1);
            }
        })).ToArray();
        var consumers = Enumerable.Range(0, threads).Select(_ => Deadline.RunAside(() =>
        {
            var taken = new List<(int Producer, int Number)>();
            var spin = default(SpinWait);
            while (Volatile.Read(ref left) > 0)
            {
                if (ring.TryTake(out var item))
                {
                    Interlocked.Decrement(ref left);
                    taken.Add(item);
                }
                else
                {
                    spin.SpinOnce(sleep1Threshold: -1);
                }
            }

            return taken;
        })).ToArray();
        await Task.WhenAll(producers).InTime();
        var all = await Task.WhenAll(consumers).InTime();

        Assert.False(ring.TryTake(out _));
        Assert.Equal(threads * perProducer, all.SelectMany(static taken => taken).Distinct().Count());
        Assert.Equal(threads * perProducer, all.Sum(static taken => taken.Count));
        foreach (var taken in all)
        {
            // A consumer receives the items of one producer in the order in which the producer added them.
            for (var producer = 0; producer < threads; producer++)
            {
                var numbers = taken.Where(item => item.Producer == producer).Select(static item => item.Number).ToArray();
                Assert.Equal(numbers.Order(), numbers);
            }
        }
    }

    [Theory]
    [InlineData(3)]
    [InlineData(64)]
    public async Task Producers_that_race_add_exactly_as_many_items_as_there_is_room(int capacity)
    {
        var rounds = Extent.Of(50, 300);
        var ring = new BoundedRing<int>(capacity);
        var random = new Random(1);
        for (var round = 0; round < rounds; round++)
        {
            var before = ring.Count;
            var added = await Task.WhenAll(Task.Run(Fill), Task.Run(Fill)).InTime();
            Assert.Equal(ring.Room, before + added.Sum());

            // Some items are taken for good. The capacity of others stays in use, as that of messages which a filter skipped.
            var (taken, skipped) = (random.Next(1, ring.Room + 1), random.Next(0, 2));
            for (var i = 0; i < taken; i++)
            {
                if (i < skipped && ring.Room > 1)
                    ring.Room--;
                Assert.True(ring.TryTake(out _));
            }

            if (round % 8 == 0)
                ring.Room = capacity;
        }

        int Fill()
        {
            var count = 0;
            while (ring.TryAdd(count))
                count++;
            return count;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference AddAndTake(BoundedRing<object> ring)
    {
        Assert.True(ring.TryAdd(new object()));
        Assert.True(ring.TryTake(out var item));
        return new WeakReference(item);
    }
}
