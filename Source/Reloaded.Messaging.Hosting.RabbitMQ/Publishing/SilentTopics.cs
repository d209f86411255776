using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The topics whose publications the broker neither confirms nor refuses, for example because most nodes of a queue are down. Used under the lock of the queue.</summary>
/// <remarks>
/// A channel that publishes to such a queue confirms nothing more, so the messages of these topics wait here, in order. The first message of each topic is
/// published again and again, each time over a channel of its own (see <see cref="SilentTopicProber"/>). When the broker has replied, the messages return to the queue.
/// </remarks>
internal sealed class SilentTopics
{
    /// <summary>The maximum number of topics of one round.</summary>
    private const int MaxProbes = 256;

    private readonly List<SilentTopic> _topics = [];

    /// <summary>Whether there is such a topic.</summary>
    public bool Any => _topics.Count > 0;

    /// <summary>The number of topics whose first message was published again without a reply.</summary>
    public int Stalled => _topics.FindAll(static topic => topic.HasFailed).Count;

    /// <summary>Makes a topic wait, if it does not wait yet.</summary>
    public SilentTopic Add(TopicState topic)
    {
        if (topic.Silent is not { } silent)
            _topics.Add(topic.Silent = silent = new SilentTopic(topic));
        return silent;
    }

    /// <summary>Ends the wait of a topic.</summary>
    public void Remove(SilentTopic silent)
    {
        _topics.Remove(silent);
        silent.Topic.Silent = null;
    }

    /// <summary>Returns the topics for one round. The topics that were published again last are the last ones.</summary>
    public SilentTopic[] Take()
    {
        var round = _topics.GetRange(0, Math.Min(_topics.Count, MaxProbes));
        _topics.RemoveRange(0, round.Count);
        _topics.AddRange(round);
        return [.. round];
    }

    /// <summary>Ends the wait of every topic.</summary>
    /// <param name="release">Called with each message.</param>
    public void Clear(Action<Outgoing> release)
    {
        foreach (var silent in _topics)
        {
            silent.Topic.Silent = null;
            while (silent.TryTake(out var message))
                release(message);
        }

        _topics.Clear();
    }

    /// <summary>Replaces every message that waits here.</summary>
    public void Replace(Func<Outgoing, Outgoing> replace) => _topics.ForEach(topic => topic.Replace(replace));
}

/// <summary>The messages of a topic to whose publication the broker does not reply. Used under the lock of the queue.</summary>
internal sealed class SilentTopic(TopicState topic)
{
    private readonly PriorityQueue<Outgoing, ulong> _messages = new();

    public TopicState Topic => topic;

    /// <summary>The number of messages that wait.</summary>
    public int Count => _messages.Count;

    /// <summary>Whether the first message was published again without a reply.</summary>
    public bool HasFailed { get; set; }

    /// <summary>Adds a message.</summary>
    /// <param name="message">The message.</param>
    /// <param name="isPublished">Whether it was published, so that a further publication is marked.</param>
    public void Add(Outgoing message, bool isPublished)
    {
        message.IsRepeated |= isPublished;
        message.IsReleased = false;
        _messages.Enqueue(message, message.Number);
    }

    /// <summary>Returns the first message, which stays here.</summary>
    public Outgoing Peek() => _messages.Peek();

    /// <summary>Takes the first message.</summary>
    public bool TryTake(out Outgoing message) => _messages.TryDequeue(out message, out _);

    /// <summary>Replaces every message.</summary>
    public void Replace(Func<Outgoing, Outgoing> replace)
    {
        var all = new List<Outgoing>(_messages.Count);
        while (TryTake(out var message))
            all.Add(replace(message));
        foreach (var message in all)
            _messages.Enqueue(message, message.Number);
    }
}

/// <summary>What became of the first message of a silent topic that was published again.</summary>
internal enum ProbeResult
{
    /// <summary>The broker did not reply in time.</summary>
    None = 0,

    /// <summary>The broker accepted the message.</summary>
    Taken,

    /// <summary>A full queue refused the message.</summary>
    Rejected,

    /// <summary>The broker closed the channel because of the message.</summary>
    Closed,
}

/// <summary>The first message of a silent topic, with its own copy of the bytes, since the queue may move its bytes meanwhile.</summary>
internal sealed class Probe(SilentTopic silent, Outgoing message)
{
    private readonly byte[] _body = message.Message.ToArray();

    public SilentTopic Silent => silent;

    public Publication Publication => new(_body, 1, 1, message);

    /// <summary>Zeroes the copy of a secret.</summary>
    public void Clear()
    {
        if (message.IsSecret)
            _body.AsSpan().Clear();
    }
}
