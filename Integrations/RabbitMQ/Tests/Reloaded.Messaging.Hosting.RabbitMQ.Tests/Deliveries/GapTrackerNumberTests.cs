using Reloaded.Messaging.Hosting.RabbitMQ;
using Xunit;

namespace Reloaded.Messaging.Tests.Deliveries;

/// <summary>Numbers of a sender that forgot a topic in between.</summary>
public sealed class GapTrackerNumberTests
{
    [Fact]
    public void Note_counts_the_missing_messages_of_a_new_generation_from_its_first()
    {
        var tracker = new GapTracker();
        Assert.Equal(0, tracker.Note("sender", "topic", 5, 1));
        Assert.Equal(0, tracker.Note("sender", "topic", TopicNumber.First(1), 1));
        Assert.Equal(2, tracker.Note("sender", "topic", TopicNumber.First(1) + 3, 1));

        Assert.Equal(3, tracker.Note("sender", "topic", TopicNumber.First(2) + 3, 2));
        Assert.Equal(0, tracker.Note("sender", "topic", TopicNumber.First(2) + 5, 1));
    }
}
