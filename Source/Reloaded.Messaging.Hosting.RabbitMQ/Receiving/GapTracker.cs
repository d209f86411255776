using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Which number comes next from each sender to each topic. One thread at a time.</summary>
/// <remarks>Bounded without a list of what was used when: what is new fills one table, the one before is kept until that is full, and what is used moves over.</remarks>
internal sealed class GapTracker
{
    /// <summary>Streams in a table; up to twice as many are known.</summary>
    public const int MaxStreams = 4096;

    private Dictionary<(string Sender, string Topic), ulong> _current = [];
    private Dictionary<(string Sender, string Topic), ulong> _earlier = [];

    /// <summary>Notes messages that came.</summary>
    /// <param name="sender">Whose.</param>
    /// <param name="topic">To which topic.</param>
    /// <param name="first">The first one's number.</param>
    /// <param name="count">How many follow each other.</param>
    /// <returns>How many are missing before it. None for a stream that is new here: what was before is not this subscription's.</returns>
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
