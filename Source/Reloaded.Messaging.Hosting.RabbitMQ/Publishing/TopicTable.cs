using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

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

/// <summary>The state of a topic to which the queue publishes. Used under the lock of the queue.</summary>
internal sealed class TopicState(string key)
{
    public string Key => key;

    /// <summary>The number of the last message.</summary>
    public ulong LastNumber { get; set; }

    /// <summary>The number of messages that are not completed.</summary>
    public int Open { get; set; }

    /// <summary>The reason why the broker refuses every message of the topic over this connection; <see langword="null"/> if it does not.</summary>
    public string? Refusal { get; set; }

    /// <summary>The messages that wait because a queue of the topic is full; <see langword="null"/> if there are no such messages.</summary>
    public RefusedMessages? Refused { get; set; }
}

/// <summary>The layout of a message's number: the upper bits are the generation of the topic's numbers, the lower bits are the count within the generation.</summary>
/// <remarks>A sender that forgets an idle topic restarts its count. The higher generation keeps the numbers unique, and shows a receiver that the count restarted at 1.</remarks>
internal static class TopicNumber
{
    private const int CountBits = 48;
    private const ulong MaxGeneration = (1UL << (63 - CountBits)) - 1; // the timestamp of AMQP is signed in some clients

    /// <summary>The number of the first message in a generation.</summary>
    public static ulong First(ulong generation) => (generation << CountBits) + 1;

    /// <summary>Returns the generation after another generation. After 32,767, the first generation follows.</summary>
    public static ulong NextGeneration(ulong generation) => generation == MaxGeneration ? 0 : generation + 1;

    /// <summary>Returns the number of messages that are missing before a number.</summary>
    /// <param name="expected">The number after the last received number.</param>
    /// <param name="number">The received number.</param>
    public static long Missing(ulong expected, ulong number)
    {
        var generation = number >> CountBits;
        var from = generation == expected >> CountBits ? expected : First(generation);
        return number > from && number > expected ? (long)(number - from) : 0;
    }
}
