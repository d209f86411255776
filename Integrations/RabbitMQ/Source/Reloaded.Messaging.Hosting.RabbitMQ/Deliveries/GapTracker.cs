using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Tracks the next number of each sender and topic. Used by one thread at a time.</summary>
/// <remarks>Bounded without a list of last uses: new streams fill one table, the previous table is kept until that table is full, and streams in use move over.</remarks>
internal sealed class GapTracker
{
    /// <summary>The number of streams in a table. Up to twice this number are tracked.</summary>
    public const int MaxStreams = 4096;

    private Dictionary<(string Sender, string Topic), ulong> _current = [];
    private Dictionary<(string Sender, string Topic), ulong> _earlier = [];

    /// <summary>Records received messages.</summary>
    /// <param name="sender">The sender.</param>
    /// <param name="topic">The topic.</param>
    /// <param name="first">The number of the first message.</param>
    /// <param name="count">The number of consecutive messages.</param>
    /// <returns>The number of messages that are missing before the first one. 0 for a new stream, because earlier messages do not belong to this subscription.</returns>
    public long Note(string sender, string topic, ulong first, int count)
    {
        var stream = (sender, topic);
        var isKnown = _current.TryGetValue(stream, out var expected) || _earlier.Remove(stream, out expected);
        if (_current.Count >= MaxStreams && !_current.ContainsKey(stream))
            (_earlier, _current) = (_current, []);
        _current[stream] = first + (ulong)count;
        return isKnown ? TopicNumber.Missing(expected, first) : 0;
    }
}
