using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Tests.Packing;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Buffers;

/// <summary>Each test on a thread of its own, whose cache is empty: a message that another test lost stays in use on its thread.</summary>
[Quiet]
public sealed class MessagePoolTests
{
    private readonly MessageWriter _writer = new();

    [Fact]
    public void A_message_is_rented_once_and_returned_once() => OtherThread.Run(() =>
    {
        var before = MessagePool.GetStatistics();
        var packed = _writer.Pack(PackingContracts.Position, default);
        var live = MessagePool.GetStatistics();
        packed.Dispose();
        var after = MessagePool.GetStatistics();

        Assert.Equal(before.Outstanding + 1, live.Outstanding);
        Assert.Equal(before.Outstanding, after.Outstanding);
        Assert.Equal(before.SecondReleases, after.SecondReleases);
    });

    [Theory]
    [InlineData(false, false, false)]
    [InlineData(false, true, false)]
    [InlineData(true, false, false)]
    [InlineData(true, true, false)]
    [InlineData(false, false, true)]
    [InlineData(false, true, true)]
    [InlineData(true, false, true)]
    [InlineData(true, true, true)]
    public void A_second_release_counts_and_never_reaches_the_pool(bool firstElsewhere, bool secondElsewhere, bool secret) => OtherThread.Run(() =>
    {
        var packed = _writer.Pack(secret ? PackingContracts.SecretPosition : PackingContracts.Position, default);
        Release(packed, firstElsewhere);
        var before = MessagePool.GetStatistics();

        Release(packed, secondElsewhere);

        var after = MessagePool.GetStatistics();
        Assert.Equal(before.SecondReleases + 1, after.SecondReleases);
        Assert.Equal(before.Outstanding, after.Outstanding);
        AssertNoBufferIsShared();
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_late_second_release_leaves_the_buffers_next_message_alone(bool elsewhere) => OtherThread.Run(() =>
    {
        var first = _writer.Pack(PackingContracts.Position, new Position(1, 1, 1));
        first.Dispose();
        var next = _writer.Pack(PackingContracts.Position, new Position(2, 2, 2));

        Release(first, elsewhere);

        Assert.False(next.IsReleased);
        Assert.Equal(13, next.Length);
        Assert.Equal(2, next.Span[1]);
        next.Dispose();
        AssertNoBufferIsShared();
    });

    [Fact]
    public void Trim_lets_go_of_every_spare_buffer_but_one() => Uncollected.Run(() =>
    {
        HoldAndRelease(100);
        Assert.Equal(100, ThreadCache.Current.Spare);

        OtherThread.Run(MessagePool.Trim);

        Assert.Equal(1, ThreadCache.Current.Spare);
    });

    [Fact]
    public void A_message_outlives_a_trim_and_its_buffer_is_used_again() => Uncollected.Run(() =>
    {
        var packed = _writer.Pack(PackingContracts.Position, new Position(5, 6, 7));
        var array = PackingContracts.ArrayOf(packed);

        MessagePool.Trim();

        Assert.Equal(5, packed.Span[1]);
        packed.Dispose();
        using var next = _writer.Pack(PackingContracts.Position, default);
        Assert.Same(array, PackingContracts.ArrayOf(next));
    });

    [Fact]
    public void Buffer_that_was_released_on_another_thread_is_poisoned_when_its_owner_takes_it_back() => Uncollected.Run(() =>
    {
        var packed = _writer.Pack(PackingContracts.Position, new Position(5, 6, 7));
        var (array, length) = (PackingContracts.ArrayOf(packed), packed.Length);
        OtherThread.Run(packed.Dispose);

        var next = ThreadCache.Current.Rent(1000);

        Assert.Same(array, PackingContracts.ArrayOf(next.WrittenMemory));
        Assert.Equal(PackingContracts.Filled(length, MessagePool.Poison), array[..length]);
        ThreadCache.Current.Return(next);
    });

    [Fact]
    public void A_full_collection_lets_go_of_every_spare_buffer_but_one() => OtherThread.Run(() =>
    {
        Uncollected.Here(() =>
        {
            HoldAndRelease(100);
            Assert.Equal(100, ThreadCache.Current.Spare);
        });

        FullCollection.Run();

        Assert.Equal(1, ThreadCache.Current.Spare);
    });

    [Fact]
    public void A_thread_keeps_no_more_spare_buffers_than_its_bound() => Uncollected.Run(() =>
    {
        HoldAndRelease(ThreadCache.MaxSpare + 500);
        Assert.Equal(ThreadCache.MaxSpare, ThreadCache.Current.Spare);
    });

    [Fact]
    public void A_threads_end_lets_its_buffers_go()
    {
        FullCollection.Run(); // of the threads of other tests that have ended: what they lost counts no more
        var before = MessagePool.GetStatistics();
        var (cache, array) = PackOnAThreadThatEnds();

        FullCollection.Run();
        GC.Collect(); // what a finalizer still held

        Assert.False(cache.IsAlive);
        Assert.False(array.IsAlive);
        var after = MessagePool.GetStatistics();
        Assert.Equal(before.Outstanding, after.Outstanding);
        GC.WaitForPendingFinalizers(); // or the last collection's trim would empty the next test's cache
    }

    [Fact]
    public void A_message_outlives_the_thread_that_packed_it()
    {
        PackedMessage packed = default;
        OtherThread.Run(() => packed = _writer.Pack(PackingContracts.Position, new Position(9, 9, 9)));
        FullCollection.Run();
        var before = MessagePool.GetStatistics();

        Assert.Equal(9, packed.Span[1]);
        packed.Dispose();

        Assert.True(packed.IsReleased);
        Assert.Equal(before.Outstanding - 1, MessagePool.GetStatistics().Outstanding);
    }

    [Fact]
    public void Messages_packed_on_one_thread_and_released_on_another_go_round() => OtherThread.Run(() =>
    {
        const int messages = 100_000;
        const int inFlight = 256;
        var before = MessagePool.GetStatistics();
        var arrays = new HashSet<byte[]>(ReferenceEqualityComparer.Instance);
        using var queue = new BlockingCollection<PackedMessage>(inFlight);
        var consumer = OtherThread.Start(() =>
        {
            var expected = 0;
            foreach (var message in queue.GetConsumingEnumerable())
            {
                Assert.Equal(expected++, BitConverter.ToInt32(message.Span.Slice(1, 4)));
                message.Dispose();
            }

            Assert.Equal(messages, expected);
        });

        for (var i = 0; i < messages; i++)
        {
            var packed = _writer.Pack(PackingContracts.Position, new Position(i, 0, 0));
            arrays.Add(PackingContracts.ArrayOf(packed));
            Assert.True(queue.TryAdd(packed, TimeSpan.FromSeconds(30)), "The consumer stopped.");
        }

        queue.CompleteAdding();
        OtherThread.Join(consumer);

        var after = MessagePool.GetStatistics();
        Assert.InRange(arrays.Count, 1, ThreadCache.MaxSpare);
        Assert.InRange(ThreadCache.Current.Spare, 0, ThreadCache.MaxSpare);
        Assert.Equal(before.Outstanding, after.Outstanding);
        Assert.Equal(before.SecondReleases, after.SecondReleases);
    });

    private static void Release(PackedMessage packed, bool elsewhere)
    {
        if (elsewhere)
            OtherThread.Run(packed.Dispose);
        else
            packed.Dispose();
    }

    private void HoldAndRelease(int count)
    {
        var messages = new PackedMessage[count];
        for (var i = 0; i < count; i++)
            messages[i] = _writer.Pack(PackingContracts.Position, default);
        foreach (var message in messages)
            message.Dispose();
    }

    /// <summary>Empties the cache, what other threads gave back included, and looks for one buffer in two messages.</summary>
    private void AssertNoBufferIsShared()
    {
        var arrays = new HashSet<byte[]>(ReferenceEqualityComparer.Instance);
        var messages = new PackedMessage[ThreadCache.Current.Spare + 50];
        for (var i = 0; i < messages.Length; i++)
        {
            messages[i] = _writer.Pack(PackingContracts.Position, default);
            Assert.True(arrays.Add(PackingContracts.ArrayOf(messages[i])), "Two live messages share a buffer.");
        }

        foreach (var message in messages)
            message.Dispose();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private (WeakReference Cache, WeakReference Array) PackOnAThreadThatEnds()
    {
        WeakReference? cache = null;
        WeakReference? array = null;
        OtherThread.Run(() =>
        {
            HoldAndRelease(49);
            using var packed = _writer.Pack(PackingContracts.Position, default);
            cache = new WeakReference(ThreadCache.Current);
            array = new WeakReference(PackingContracts.ArrayOf(packed));
        });
        return (cache!, array!);
    }
}
