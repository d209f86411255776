using System;

namespace GameServer.Worlds;

/// <summary>The durations of the last ticks: at most 4096, which is about 68 s at 60 ticks per second. Thread-safe.</summary>
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

    /// <summary>Returns a percentile of the durations of the last ticks, in milliseconds.</summary>
    /// <param name="part">The percentile, as a fraction (0–1).</param>
    /// <param name="ticks">The number of recent ticks to include (default: all).</param>
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
