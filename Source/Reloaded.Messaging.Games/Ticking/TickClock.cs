using System;

namespace Reloaded.Messaging.Games;

/// <summary>Which ticks are due: multiples of the interval since the start, whatever a timer makes of it.</summary>
internal sealed class TickClock(TimeProvider time, TimeSpan interval)
{
    private static readonly TimeSpan s_least = TimeSpan.FromMilliseconds(1);

    private long _start = time.GetTimestamp();
    private long _done;

    public void Restart()
    {
        _start = time.GetTimestamp();
        _done = 0;
    }

    /// <summary>How long to wait for the next tick: whole milliseconds, which is what timers take, and no fewer than have to pass.</summary>
    public TimeSpan UntilNext()
    {
        var left = DueTime(_done + 1) - time.GetElapsedTime(_start);
        return left <= s_least ? s_least : TimeSpan.FromMilliseconds(Math.Ceiling(left.TotalMilliseconds));
    }

    /// <summary>Passes over the oldest ticks that are due.</summary>
    /// <param name="most">How many to leave at most.</param>
    /// <returns>How many were passed over.</returns>
    public long SkipTo(int most)
    {
        var skipped = Math.Max(0, Due() - _done - most);
        _done += skipped;
        return skipped;
    }

    public bool TryTake(out Tick tick)
    {
        tick = default;
        var elapsed = time.GetElapsedTime(_start);
        var due = DueTime(_done + 1);
        if (elapsed < due)
            return false;
        tick = new Tick(++_done, interval, elapsed - due);
        return true;
    }

    private long Due() => time.GetElapsedTime(_start).Ticks / interval.Ticks;

    private TimeSpan DueTime(long number) => TimeSpan.FromTicks(number * interval.Ticks);
}
