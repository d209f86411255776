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
