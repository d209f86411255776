using System.Collections.Generic;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Xunit;

namespace Reloaded.Messaging.Tests.Deliveries;

/// <summary>The numbers of messages to more topics than a publisher remembers.</summary>
public sealed class TopicNumberTests
{
    [Fact]
    public void TryAdd_of_ever_new_topics_never_ends_and_gives_no_number_twice()
    {
        var queue = new PublishQueue(100_000, confirms: false);
        queue.Open();
        var seen = new HashSet<(string, ulong)>();
        for (var topic = 0; topic < 200_000; topic++)
            Publish($"match.{topic}");
        for (var topic = 0; topic < 1000; topic++)
            Publish($"match.{topic}");

        void Publish(string topic)
        {
            Assert.Equal(SendStatus.Sent, queue.TryAdd([1], topic, OutgoingKind.Event, isSecret: false));
            Assert.True(queue.TryTake(null, 0, out var taken));
            Assert.True(seen.Add((topic, taken.Head.Number)));
            queue.Finish(in taken);
        }
    }
}
