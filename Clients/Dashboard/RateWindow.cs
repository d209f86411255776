using System.Collections.Generic;

namespace Dashboard;

/// <summary>A count, and its growth per second, over about the last second.</summary>
internal sealed class RateWindow
{
    private const int Length = 1000; // milliseconds

    private readonly Queue<(long Time, long Count)> _notes = [];

    public long Count { get; set; }

    public double PerSecond { get; private set; }

    /// <summary>Notes the count at a time in milliseconds.</summary>
    public void Note(long time)
    {
        _notes.Enqueue((time, Count));
        while (_notes.Count > 2 && time - _notes.Peek().Time > Length)
            _notes.Dequeue();
        var (start, count) = _notes.Peek();
        PerSecond = time == start ? 0 : (Count - count) * 1000.0 / (time - start);
    }
}
