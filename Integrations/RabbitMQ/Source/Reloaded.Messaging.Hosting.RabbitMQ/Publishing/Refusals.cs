using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>What the broker refused of the messages of a queue: temporarily, because a queue is full, or permanently, by closing the channel. Used under the lock of the queue.</summary>
/// <remarks>Decides which messages are sent, wait or are dropped. It neither reads nor frees their bytes.</remarks>
internal sealed class Refusals
{
    private readonly TopicTable _topics = new();
    private readonly List<TopicState> _refused = [];
    private readonly List<TopicState> _forbidden = [];
    private readonly Queue<Outgoing> _offered = new();
    private readonly Queue<PublishNotice> _notices = new();

    /// <summary>The number of messages at the front of the queue that may have closed the channel. They are sent one at a time.</summary>
    private int _suspects;

    /// <summary>The number of messages that the broker refused because a queue was full.</summary>
    public long Rejected { get; private set; }

    /// <summary>The number of messages that the broker refused permanently.</summary>
    public long Dropped { get; private set; }

    /// <summary>The number of topics whose messages a full queue has refused for several rounds.</summary>
    public int Stalled
    {
        get
        {
            var stalled = 0;
            foreach (var topic in _refused)
                stalled += topic.Refused!.IsStalled ? 1 : 0;
            return stalled;
        }
    }

    /// <summary>Whether the publications wait for another channel, because a stalled topic was refused again.</summary>
    public bool WantsChannel { get; private set; }

    /// <summary>Whether a suspect is published and the broker has not replied.</summary>
    public bool IsSuspectOut { get; private set; }

    /// <summary>Whether a message may be published now.</summary>
    public bool Permits => !WantsChannel && !IsSuspectOut;

    /// <summary>Returns the state of a topic. Throws if AMQP does not accept the name.</summary>
    public TopicState GetTopic(string key) => _topics.Get(key);

    /// <summary>Decides about the next message of the queue. A message that must wait is kept here.</summary>
    public Verdict Judge(in Outgoing next)
    {
        var isSuspect = _suspects > 0;
        if (isSuspect)
            _suspects--;
        if (next.Topic?.Refusal is not null)
            return Verdict.Drop;
        if (next.Topic?.Silent is { } silent)
        {
            silent.Held.Enqueue(next);
            return Verdict.Hold;
        }

        if (next.Topic?.Refused is { IsStalled: false } refused && !next.IsReleased)
        {
            refused.Hold(in next);
            return Verdict.Hold;
        }

        IsSuspectOut = isSuspect;
        return Verdict.Send;
    }

    /// <summary>Records that the broker has replied to a publication, or that the publication is sent again.</summary>
    public void EndSuspect() => IsSuspectOut = false;

    /// <summary>Keeps a message that a full queue refused.</summary>
    public void Refuse(in Outgoing message)
    {
        Rejected++;
        var topic = message.Topic!;
        if (topic.Refused is null)
        {
            topic.Refused = new RefusedMessages();
            _refused.Add(topic);
        }

        topic.Refused.Refuse(message);
    }

    /// <summary>Keeps a message that was offered again, and whose connection was lost before the broker replied.</summary>
    public static void TakeBack(in Outgoing message) => message.Topic!.Refused!.TakeBack(message);

    /// <summary>Records that a message is confirmed or lost.</summary>
    public static void End(in Outgoing message, bool isConfirmed)
    {
        if (message.IsReleased)
            message.Topic!.Refused!.Remove(isConfirmed);
    }

    /// <summary>Records that a message is dropped, because the broker refuses it permanently.</summary>
    /// <returns>The exception for a flush that waits for the message.</returns>
    public PublicationRefusedException Drop(in Outgoing message, string reason)
    {
        Dropped++;
        _notices.Enqueue(new PublishNotice(message.Key, message.Number, 0, reason));
        return new PublicationRefusedException(new RefusedPublication(message.Key, message.Number, reason));
    }

    /// <summary>Records that the broker refuses every message of a topic over this connection.</summary>
    public void Forbid(TopicState topic, string reason)
    {
        if (topic.Refusal is not null)
            return;
        topic.Refusal = reason;
        _forbidden.Add(topic);
    }

    /// <summary>Records that a topic is stalled because the broker does not confirm its messages.</summary>
    public void NoteStalled(TopicState topic) => _notices.Enqueue(new PublishNotice(topic.Key, 0, topic.Silent!.Count, null));

    /// <summary>Records that messages at the front of the queue may have closed the channel.</summary>
    public void Suspect(int count) => _suspects += count;

    /// <summary>Begins with a new connection. Refusals of whole topics are forgotten, because the connection may have other permissions.</summary>
    /// <returns>Whether a suspect was published or waits, so that all messages that are sent again are suspects.</returns>
    public bool Reopen()
    {
        foreach (var topic in _forbidden)
            topic.Refusal = null;
        _forbidden.Clear();
        WantsChannel = false;
        return _suspects > 0 || IsSuspectOut;
    }

    /// <summary>Returns whether the caller must replace the channel, because a stalled topic was refused again.</summary>
    public bool TryEndChannel()
    {
        var wanted = WantsChannel;
        WantsChannel = false;
        return wanted;
    }

    /// <summary>Offers refused messages again if they are due. <see cref="TryTakeOffered"/> returns them.</summary>
    /// <param name="now">The time, in milliseconds.</param>
    /// <param name="hasEnded">Whether a topic has no refused messages any more, and shares the room of all topics again.</param>
    /// <returns>The time of the next call; <see cref="long.MaxValue"/> for after the next reply of the broker.</returns>
    public long Retry(long now, out bool hasEnded)
    {
        hasEnded = false;
        var next = long.MaxValue;
        for (var index = _refused.Count - 1; index >= 0; index--)
        {
            var topic = _refused[index];
            var refused = topic.Refused!;
            if (refused.IsOver)
            {
                topic.Refused = null;
                _refused.RemoveAt(index);
                hasEnded = true;
                continue;
            }

            var wasStalled = refused.IsStalled;
            next = Math.Min(next, refused.Advance(now, out var hasFailed));
            WantsChannel |= hasFailed;
            if (hasFailed && !wasStalled)
                _notices.Enqueue(new PublishNotice(topic.Key, 0, refused.Count, null));
            while ((refused.IsStalled && refused.TryTakeHeld(out var offered)) || refused.TryRelease(out offered))
                _offered.Enqueue(offered);
        }

        return next;
    }

    /// <summary>Offers every message that waits here, whether it is due or not.</summary>
    public void OfferAll()
    {
        foreach (var topic in _refused)
        {
            while (topic.Refused!.TryTake(out var message))
                _offered.Enqueue(message);
        }
    }

    /// <summary>Returns the next message that is offered again.</summary>
    public bool TryTakeOffered(out Outgoing message) => _offered.TryDequeue(out message);

    /// <summary>Replaces every message that waits here.</summary>
    public void Replace(Func<Outgoing, Outgoing> replace)
    {
        foreach (var topic in _refused)
            topic.Refused!.Replace(replace);
    }

    /// <summary>Returns the next event for the application.</summary>
    public bool TryTakeNotice(out PublishNotice notice) => _notices.TryDequeue(out notice);
}

/// <summary>The decision about the next message of a queue.</summary>
internal enum Verdict
{
    /// <summary>The message is published.</summary>
    Send = 0,

    /// <summary>The message waits until the broker has accepted the refused messages of its topic, or has confirmed those over an earlier channel.</summary>
    Hold,

    /// <summary>The message is dropped, because the broker refuses every message of its topic.</summary>
    Drop,
}

/// <summary>An event that a queue reports to the application.</summary>
/// <param name="Topic">The topic.</param>
/// <param name="Number">The number of the message that was refused.</param>
/// <param name="Waiting">The number of messages that wait, if the topic stalled.</param>
/// <param name="Reason">The broker's reason, if a message was refused; otherwise, <see langword="null"/>.</param>
internal readonly record struct PublishNotice(string Topic, ulong Number, int Waiting, string? Reason);

/// <summary>The topics to which the messages of a queue were published. Idle topics are forgotten. Used under the lock of the queue.</summary>
/// <remarks>
/// New topics fill one table. When the table is full, the previous table is discarded, and topics in use move to the new table. The numbers of a
/// forgotten topic restart in a higher generation (see <see cref="TopicNumber"/>), so no number is used twice.
/// </remarks>
internal sealed class TopicTable
{
    /// <summary>The number of topics in a table. Up to twice this number are remembered.</summary>
    public const int MaxTopics = 32_768;

    private Dictionary<string, TopicState> _current = [];
    private Dictionary<string, TopicState> _earlier = [];
    private ulong _generation;

    /// <summary>Returns the state of a topic. Throws if AMQP does not accept the name.</summary>
    public TopicState Get(string key)
    {
        if (_current.TryGetValue(key, out var topic))
            return topic;
        if (!_earlier.Remove(key, out topic))
        {
            AmqpName.Checked(key, AmqpName.MaxTopic, "topic");
            topic = new TopicState(key);
        }

        if (_current.Count >= MaxTopics)
            Forget();
        if (topic.LastNumber == 0)
            topic.LastNumber = TopicNumber.First(_generation) - 1;
        _current.Add(key, topic);
        return topic;
    }

    private void Forget()
    {
        var forgotten = _earlier;
        (_earlier, _current) = (_current, []);
        foreach (var (key, topic) in forgotten)
        {
            if (topic.Open > 0)
                _current.Add(key, topic);
        }

        if (forgotten.Count > 0)
            _generation = TopicNumber.NextGeneration(_generation);
    }
}
