using System;

namespace GameServer.Worlds;

/// <summary>How long the last ticks took: up to 4096 of them, a bit more than a minute. Written by the tick, read by anyone.</summary>
public sealed class TickTimes
{
    private readonly TimeSpan[] _times = new TimeSpan[4096];
    private readonly object _gate = new();
    private int _count;

    public void Note(TimeSpan time)
    {
        lock (_gate)
            _times[_count++ % _times.Length] = time;
    }

    public void Clear()
    {
        lock (_gate)
            _count = 0;
    }

    /// <summary>The time that a part of the last ticks stayed below, in milliseconds.</summary>
    /// <param name="part">Which part, from 0 to 1.</param>
    /// <param name="ticks">How many ticks to look back.</param>
    public double Percentile(double part, long ticks = long.MaxValue)
    {
        TimeSpan[] times;
        lock (_gate)
        {
            times = new TimeSpan[Math.Min(ticks, Math.Min(_count, _times.Length))];
            for (var i = 0; i < times.Length; i++)
                times[i] = _times[(_count - 1 - i) % _times.Length];
        }

        if (times.Length == 0)
            return 0;
        Array.Sort(times);
        return times[(int)((times.Length - 1) * part)].TotalMilliseconds;
    }
}
