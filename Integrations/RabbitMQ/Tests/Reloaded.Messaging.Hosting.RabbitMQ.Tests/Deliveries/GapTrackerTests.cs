using Reloaded.Messaging.Hosting.RabbitMQ;
using Xunit;

namespace Reloaded.Messaging.Tests.Deliveries;

public sealed class GapTrackerTests
{
    [Fact]
    public void A_new_stream_misses_nothing_and_each_is_apart()
    {
        var tracker = new GapTracker();

        Assert.Equal(0, tracker.Note("one", "topic", 50, 1));
        Assert.Equal(0, tracker.Note("two", "topic", 7, 1));
        Assert.Equal(0, tracker.Note("one", "other", 3, 10));
        Assert.Equal(2, tracker.Note("one", "topic", 53, 1));
        Assert.Equal(0, tracker.Note("two", "topic", 8, 1));
        Assert.Equal(1, tracker.Note("one", "other", 14, 1));
    }

    [Fact]
    public void What_is_used_is_kept_however_many_others_come_and_the_rest_is_bounded()
    {
        var tracker = new GapTracker();
        tracker.Note("silent", "topic", 1, 1);
        tracker.Note("busy", "topic", 1, 1);
        for (var other = 0; other < 10 * GapTracker.MaxStreams; other++)
        {
            tracker.Note($"other {other}", "topic", 1, 1);
            if (other % 1000 == 0)
                Assert.Equal(1, tracker.Note("busy", "topic", 3 + (ulong)other / 1000 * 2, 1));
        }

        Assert.Equal(0, tracker.Note("silent", "topic", 9, 1)); // forgotten, and so new
    }
}
