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

    /// <returns>The time that this part of the ticks stayed below, in milliseconds.</returns>
    public double Percentile(double part)
    {
        TimeSpan[] times;
        lock (_gate)
            times = _times[..Math.Min(_count, _times.Length)];
        if (times.Length == 0)
            return 0;
        Array.Sort(times);
        return times[(int)((times.Length - 1) * part)].TotalMilliseconds;
    }
}
