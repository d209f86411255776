using System;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Xunit;

namespace Reloaded.Messaging.Tests.Publishing;

/// <content>A broker that neither confirms nor refuses.</content>
public sealed partial class PublishQueueTests
{
    [Fact]
    public void Topic_that_stops_its_channel_waits_and_messages_of_other_topics_are_published_again_marked()
    {
        var queue = Stop("silent", "other");

        AddTo(queue, "silent", 3);
        Assert.Equal([(2, 1UL, true)], TakeAll(queue));
        var probe = Assert.Single(queue.TakeProbes());
        Assert.Equal((1, 1UL, true), (probe.Publication.Body.Span[0], probe.Publication.Head.Number, probe.Publication.Head.IsRepeated));

        queue.EndProbe(probe.Silent, ProbeResult.None);
        Assert.True(queue.TryTakeNotice(out var notice));
        Assert.Equal((new PublishNotice("silent", 0, 2, null), 1), (notice, queue.Counts.Stalled));
        Assert.Empty(TakeAll(queue));

        queue.EndProbe(probe.Silent, ProbeResult.Taken);
        Assert.Equal([(3, 2UL, false)], TakeAll(queue));
        Assert.Equal((2, 1, 0), (queue.Counts.Pending, queue.Counts.Confirmed, queue.Counts.Stalled));
        Assert.False(queue.HasSilentTopics);
    }

    [Fact]
    public void Silent_topic_whose_first_message_is_refused_waits_for_the_full_queue()
    {
        var queue = Stop("silent", "other");
        TakeAll(queue);

        queue.EndProbe(Assert.Single(queue.TakeProbes()).Silent, ProbeResult.Rejected);
        AddTo(queue, "silent", 3);

        Assert.Empty(TakeAll(queue));
        Assert.Equal(1100, queue.Retry(now: 1000));
        queue.Retry(now: 1100);
        Assert.Equal([(1, 1UL, true)], TakeAll(queue));
    }

    [Fact]
    public void Silent_topic_whose_first_message_closes_the_channel_is_published_one_message_at_a_time()
    {
        var queue = Stop("silent", "other");
        TakeAll(queue);
        AddTo(queue, "silent", 3);
        Assert.Empty(TakeAll(queue));

        queue.EndProbe(Assert.Single(queue.TakeProbes()).Silent, ProbeResult.Closed);

        Assert.Equal([(1, 1UL, true)], TakeAll(queue));
        queue.Interrupt("PRECONDITION_FAILED", isTopic: false);
        Assert.Equal(1, queue.Counts.Refused);
    }

    [Fact]
    public void Channel_on_which_one_topic_waits_alone_stays()
    {
        var queue = new PublishQueue(100 * PublishQueue.Overhead, confirms: true);
        queue.Open();
        AddTo(queue, "silent", 1);
        TakeAll(queue);
        AddTo(queue, "silent", 2);

        Assert.False(queue.IsStuck(Environment.TickCount64 + 60_000));
        AddTo(queue, "other", 3);
        Assert.True(queue.IsStuck(Environment.TickCount64 + 60_000));
    }

    [Fact]
    public void Channel_whose_topic_leaves_no_room_for_another_one_is_stuck()
    {
        var queue = new PublishQueue(PublishQueue.Overhead + 1, confirms: true);
        queue.Open();
        AddTo(queue, "silent", 1);
        TakeAll(queue);
        Assert.False(queue.IsStuck(Environment.TickCount64 + 60_000));

        Assert.Equal(SendStatus.Full, queue.TryAdd([2], "other", OutgoingKind.Event, isSecret: false));

        Assert.True(queue.IsStuck(Environment.TickCount64 + 60_000));
        queue.EndStuck();
        Assert.Equal(SendStatus.Sent, queue.TryAdd([2], "other", OutgoingKind.Event, isSecret: false));
    }

    /// <summary>Publishes a message to each of two topics, and ends the channel because the broker does not reply.</summary>
    private static PublishQueue Stop(string first, string second)
    {
        var queue = new PublishQueue(100 * PublishQueue.Overhead, confirms: true);
        queue.Open();
        AddTo(queue, first, 1);
        AddTo(queue, second, 2);
        TakeAll(queue);
        Assert.True(queue.IsStuck(Environment.TickCount64 + 60_000));
        queue.EndStuck();
        return queue;
    }

    private static void AddTo(PublishQueue queue, string topic, int message) =>
        Assert.Equal(SendStatus.Sent, queue.TryAdd([(byte)message], topic, OutgoingKind.Event, isSecret: false));
}
