using System.Runtime.CompilerServices;
using Reloaded.Messaging.Tests.Queueing;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Buffers;

/// <summary>Buffers come back to the thread that packed when another thread pumps, at the latest with the end of the pump.</summary>
[Quiet]
public sealed class ReturnBatchTests
{
    private const int Count = 100;
    private const int MostHeld = 32;

    [Fact]
    public void A_pump_returns_many_buffers_at_once_and_all_at_its_end() => Uncollected.Run(() =>
    {
        var (owner, spare) = (ThreadCache.Current, new List<int>());
        using var queue = Fill(Count);
        var none = owner.Spare;

        OtherThread.Run(() => queue.Pump(Handle(_ => spare.Add(owner.Spare - none))));

        Assert.Equal(Count, owner.Spare - none);
        Assert.Equal(Count, spare.Count);
        for (var handled = 0; handled < Count; handled++)
            Assert.InRange(spare[handled], Math.Max(0, handled - MostHeld), handled);
        Assert.Contains(spare, static count => count > 0);
        Assert.Contains(spare.ToArray()[1..], static count => count == 0); // not one by one
    });

    [Fact]
    public void A_pump_that_throws_returns_what_it_released() => Uncollected.Run(() =>
    {
        var owner = ThreadCache.Current;
        using var queue = Fill(5);
        var none = owner.Spare;

        OtherThread.Run(() => Assert.Throws<NotSupportedException>(() => queue.Pump(Handle(static number =>
        {
            if (number == 2)
                throw new NotSupportedException();
        }))));

        Assert.Equal(3, owner.Spare - none);
    });

    [Fact]
    public void A_pump_within_a_pump_returns_the_buffers_of_both() => Uncollected.Run(() =>
    {
        var owner = ThreadCache.Current;
        using var inner = Fill(5);
        using var outer = Fill(5);
        var none = owner.Spare;

        OtherThread.Run(() => outer.Pump(Handle(_ => inner.Pump(Handle(static _ => { })))));

        Assert.Equal(10, owner.Spare - none);
    });

    [Fact]
    public void Buffers_of_threads_that_take_turns_return_to_their_own() => Uncollected.Run(() =>
    {
        const int turns = 10;
        var owner = ThreadCache.Current;
        using var queue = new MessageQueue<int>(2 * turns);
        using var turn = new Barrier(2);
        var otherSpare = 0;
        var other = OtherThread.Start(() =>
        {
            var before = ThreadCache.Current.Spare;
            for (var i = 0; i < turns; i++)
            {
                turn.SignalAndWait();
                queue.Enqueue(Numbered.Pack(i), 0);
                turn.SignalAndWait();
            }

            turn.SignalAndWait(); // until all are released
            otherSpare = ThreadCache.Current.Spare - before;
        });
        for (var i = 0; i < turns; i++)
        {
            queue.Enqueue(Numbered.Pack(i), 0);
            turn.SignalAndWait();
            turn.SignalAndWait();
        }

        var none = owner.Spare;
        OtherThread.Run(() => queue.Pump(Handle(static _ => { })));
        turn.SignalAndWait();
        OtherThread.Join(other);

        Assert.Equal((turns, turns - 1), (owner.Spare - none, otherSpare)); // a new thread has one spare buffer
    });

    [Fact]
    public void Buffers_that_were_returned_do_not_keep_the_cache_of_an_ended_thread_alive() => OtherThread.Run(() =>
    {
        var (cache, queue) = FillOnThreadThatEnds();

        Assert.Equal(5, queue.Pump(Handle(static _ => { })).Handled);
        GC.Collect();
        GC.WaitForPendingFinalizers(); // the trim that follows needs a second collection

        Assert.False(Survives(cache));
        queue.Dispose();
    });

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Survives(WeakReference cache)
    {
        GC.Collect();
        return cache.IsAlive;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Cache, MessageQueue<int> Queue) FillOnThreadThatEnds()
    {
        WeakReference? cache = null;
        MessageQueue<int>? queue = null;
        OtherThread.Run(() => (cache, queue) = (new WeakReference(ThreadCache.Current), Fill(5)));
        return (cache!, queue!);
    }

    private static MessageQueue<int> Fill(int count)
    {
        var queue = new MessageQueue<int>(count);
        for (var i = 0; i < count; i++)
            Assert.Equal(EnqueueStatus.Enqueued, queue.Enqueue(Numbered.Pack(i), 0));
        return queue;
    }

    private static MessageDispatcher<int> Handle(Action<int> handle)
    {
        var dispatcher = new MessageDispatcher<int>();
        dispatcher.Register(Numbered.Contract, (in Numbered message, ref int _) => handle(message.Number));
        return dispatcher;
    }
}
