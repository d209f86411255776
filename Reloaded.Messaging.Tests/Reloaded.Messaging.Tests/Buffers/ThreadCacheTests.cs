using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Buffers;

/// <summary>The steps of concurrent renting and returning, in a fixed order. Each test runs on a new thread, whose cache is empty.</summary>
[Quiet]
public sealed class ThreadCacheTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_release_that_lost_a_race_with_the_home_thread_is_a_second_one(bool trimmed) => OtherThread.Run(() =>
    {
        var before = MessagePool.GetStatistics();
        var buffer = ThreadCache.Current.Rent(1000);
        var generation = buffer.Generation;
        new PackedMessage(buffer).Dispose();
        buffer.Owner!.ReturnFromElsewhere([(buffer, generation + MessageBuffer.EndedGeneration)]); // a thread that had looked just before the line above

        if (trimmed)
            MessagePool.Trim();
        AssertBuffersAreDistinct(100);

        var after = MessagePool.GetStatistics();
        Assert.Equal(before.SecondReleases + 1, after.SecondReleases);
        Assert.Equal(before.Outstanding, after.Outstanding);
    });

    [Fact]
    public void A_late_release_of_an_earlier_use_leaves_the_present_one_alone() => Uncollected.Run(() =>
    {
        var cache = ThreadCache.Current;
        var buffer = cache.Rent(1000);
        var first = buffer.Generation;
        new PackedMessage(buffer).Dispose();
        Assert.Same(buffer, cache.Rent(1000));
        var second = new PackedMessage(buffer);
        cache.ReturnFromElsewhere([(buffer, first + MessageBuffer.EndedGeneration)]);

        Assert.DoesNotContain(buffer, RentAndReturn(100));

        Assert.False(second.IsReleased);
        second.Dispose();
        AssertBuffersAreDistinct(100);
    });

    [Fact]
    public void What_other_threads_gave_back_is_used_again_before_a_new_buffer_is_made() => Uncollected.Run(() =>
    {
        var cache = ThreadCache.Current;
        var buffers = new HashSet<MessageBuffer>();
        var messages = new List<PackedMessage>();
        for (var i = 0; i < 50; i++)
        {
            var buffer = cache.Rent(1000);
            buffers.Add(buffer);
            messages.Add(new PackedMessage(buffer));
        }

        OtherThread.Run(() => messages.ForEach(message => message.Dispose()));

        Assert.Equal(50, cache.Spare);
        Assert.Subset(buffers, new HashSet<MessageBuffer>(RentAndReturn(50)));
        Assert.Equal(50, cache.Spare);
    });

    [Fact]
    public void Other_threads_give_back_no_more_than_the_bound() => Uncollected.Run(() =>
    {
        var before = MessagePool.GetStatistics();
        var cache = ThreadCache.Current;
        var messages = new List<PackedMessage>();
        for (var i = 0; i < ThreadCache.MaxSpare + 300; i++)
            messages.Add(new PackedMessage(cache.Rent(1000)));

        OtherThread.Run(() => messages.ForEach(message => message.Dispose()));
        cache.Return(cache.Rent(1000)); // collects the returned buffers

        Assert.Equal(ThreadCache.MaxSpare, cache.Spare);
        Assert.Equal(before.Outstanding, MessagePool.GetStatistics().Outstanding);
    });

    [Fact]
    public void After_a_burst_the_buffers_that_kept_their_arrays_are_used_first() => OtherThread.Run(() =>
    {
        var cache = ThreadCache.Current;
        var held = cache.Rent(1000);
        RentAndReturn(ThreadCache.MaxSpare + 300);

        Assert.Equal(0, Allocation.OfThousand(() =>
        {
            var buffer = cache.Rent(1000);
            buffer.GetSpan(1000);
            cache.Return(buffer);
        }));

        cache.Return(held);
    });

    private static List<MessageBuffer> RentAndReturn(int count)
    {
        var buffers = new List<MessageBuffer>();
        for (var i = 0; i < count; i++)
            buffers.Add(ThreadCache.Current.Rent(1000));
        buffers.ForEach(buffer => new PackedMessage(buffer).Dispose());
        return buffers;
    }

    private static void AssertBuffersAreDistinct(int count) => Assert.Equal(count, new HashSet<MessageBuffer>(RentAndReturn(count)).Count);
}
