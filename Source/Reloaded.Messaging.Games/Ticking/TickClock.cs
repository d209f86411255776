namespace Reloaded.Messaging.Games;

/// <summary>Computes which ticks are due: multiples of the interval since the start, independent of timer delays.</summary>
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

    /// <summary>The time until the next tick, in whole milliseconds (the resolution of timers), rounded up.</summary>
    public TimeSpan UntilNext()
    {
        var left = DueTime(_done + 1) - time.GetElapsedTime(_start);
        return left <= s_least ? s_least : TimeSpan.FromMilliseconds(Math.Ceiling(left.TotalMilliseconds));
    }

    /// <summary>Skips all due ticks except for the newest one.</summary>
    /// <returns>The number of skipped ticks.</returns>
    public long SkipToNewest()
    {
        var skipped = Math.Max(0, Due() - _done - 1);
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
