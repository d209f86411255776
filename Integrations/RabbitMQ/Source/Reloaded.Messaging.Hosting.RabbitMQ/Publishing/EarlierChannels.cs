using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The channels that a queue has left because the broker did not confirm what was published over them, and the topics whose messages wait for these confirmations. Used under the lock of the queue.</summary>
/// <remarks>
/// The broker stores what it has received over such a channel when it continues, perhaps after minutes. A copy over another channel could be stored first, and the
/// original, which has no mark, would follow. For this reason, nothing is published again while the channel is open, and the later messages of the same topics wait.
/// </remarks>
internal sealed class EarlierChannels
{
    /// <summary>The maximum number of channels. The queue does not leave a further one.</summary>
    public const int Max = 64;

    /// <summary>The time after which a waiting topic is reported, in milliseconds.</summary>
    private const long ReportedAfter = 1000;

    private readonly List<UnconfirmedFlights> _channels = [];
    private readonly List<TopicState> _topics = [];

    /// <summary>Whether the queue may leave another channel.</summary>
    public bool HasRoom => _channels.Count < Max;

    /// <summary>The channels, as a copy.</summary>
    public UnconfirmedFlights[] Channels => [.. _channels];

    /// <summary>The number of topics that were reported and still wait.</summary>
    public int Stalled
    {
        get
        {
            var stalled = 0;
            foreach (var topic in _topics)
                stalled += topic.Silent!.IsReported ? 1 : 0;
            return stalled;
        }
    }

    /// <summary>Adds the channel that the queue leaves. Its messages use the room of refused messages from now on.</summary>
    public void Add(UnconfirmedFlights channel, PublishRoom room, long now)
    {
        _channels.Add(channel);
        foreach (var flight in channel.All)
        {
            foreach (ref readonly var message in flight.Messages)
            {
                room.Refuse(message.Size);
                var topic = message.Topic!;
                if (topic.Silent is null)
                {
                    topic.Silent = new SilentMessages(now);
                    _topics.Add(topic);
                }

                topic.Silent.Unconfirmed++;
            }
        }
    }

    /// <summary>Records that publications of a channel are confirmed, refused or published again. When all of a topic are, its later messages return to the queue, in order.</summary>
    /// <param name="messages">The messages of one publication, which share a topic.</param>
    /// <param name="pending">The messages of the queue.</param>
    public void End(ReadOnlySpan<Outgoing> messages, PendingMessages pending)
    {
        foreach (ref readonly var message in messages)
            pending.Restore(message.Size);
        var topic = messages[0].Topic!;
        var silent = topic.Silent!;
        silent.Unconfirmed -= messages.Length;
        if (silent.Unconfirmed > 0)
            return;
        topic.Silent = null;
        _topics.Remove(topic);
        Outgoing[] held = [.. silent.Held];
        for (var index = held.Length - 1; index >= 0; index--)
            pending.OfferFirst(in held[index]);
        pending.Room.WakeAfterRefused();
    }

    /// <summary>Removes a channel if all of its publications have ended.</summary>
    public bool TryRemove(UnconfirmedFlights channel) => channel.Count == 0 && _channels.Remove(channel);

    /// <summary>Returns a topic that has waited for some time and was not reported.</summary>
    public TopicState? TakeStalled(long now)
    {
        var stalled = _topics.Find(topic => !topic.Silent!.IsReported && now - topic.Silent.Since >= ReportedAfter);
        if (stalled is not null)
            stalled.Silent!.IsReported = true;
        return stalled;
    }

    /// <summary>Replaces every message that waits here, and moves the bytes of those that are not confirmed.</summary>
    public void Move(SegmentStore store, Func<Outgoing, Outgoing> replace)
    {
        foreach (var channel in _channels)
            channel.MoveAll(store);
        foreach (var topic in _topics)
        {
            var held = topic.Silent!.Held;
            for (var left = held.Count; left > 0; left--)
                held.Enqueue(replace(held.Dequeue()));
        }
    }
}
