using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The topics that a queue's messages were published to. Topics that are idle are forgotten. Under the queue's gate.</summary>
/// <remarks>
/// New topics fill one table. When the table is full, the table before it is forgotten, and topics in use move over. The numbers of a topic that
/// comes back begin anew under a higher generation (see <see cref="TopicNumber"/>), so no number is given twice.
/// </remarks>
internal sealed class TopicTable
{
    /// <summary>The topics in a table; up to twice as many are remembered.</summary>
    public const int MaxTopics = 32_768;

    private Dictionary<string, TopicState> _current = [];
    private Dictionary<string, TopicState> _earlier = [];
    private ulong _generation;

    /// <summary>The state of a topic. A name that AMQP does not take throws.</summary>
    public TopicState Get(string key)
    {
        if (_current.TryGetValue(key, out var topic))
            return topic;
        if (!_earlier.Remove(key, out topic))
        {
            TopologyNames.Checked(key, TopologyNames.MaxTopic, "topic");
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
