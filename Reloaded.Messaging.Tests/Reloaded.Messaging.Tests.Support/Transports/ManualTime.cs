namespace Reloaded.Messaging.Tests.Support;

/// <summary>A clock that a test advances. The callbacks of its timers run on the thread of the test.</summary>
public sealed class ManualTime : TimeProvider
{
    private readonly List<Timer> _timers = [];
    private TimeSpan _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp()
    {
        lock (_timers)
            return _now.Ticks;
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Timer(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Lets time pass in which no timer is called: what happens while a thread is busy.</summary>
    public void Pass(TimeSpan time)
    {
        lock (_timers)
            _now += time;
    }

    /// <summary>Lets time pass, and calls every timer that is due, each once at its own time.</summary>
    public void Advance(TimeSpan time)
    {
        TimeSpan end;
        lock (_timers)
            end = _now + time;
        while (true)
        {
            Timer? next = null;
            lock (_timers)
            {
                foreach (var timer in _timers)
                {
                    if (timer.Due <= end && (next is null || timer.Due < next.Due))
                        next = timer;
                }

                if (next is null)
                {
                    _now = _now > end ? _now : end;
                    return;
                }

                _now = next.Due > _now ? next.Due : _now;
                next.Due = next.Period > TimeSpan.Zero ? _now + next.Period : TimeSpan.MaxValue;
            }

            next.Call();
        }
    }

    private sealed class Timer(ManualTime time, TimerCallback callback, object? state) : ITimer
    {
        public TimeSpan Due { get; set; } = TimeSpan.MaxValue;

        public TimeSpan Period { get; private set; }

        public void Call() => callback(state);

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (time._timers)
            {
                Due = dueTime == Timeout.InfiniteTimeSpan ? TimeSpan.MaxValue : time._now + dueTime;
                Period = period;
                if (!time._timers.Contains(this))
                    time._timers.Add(this);
                return true;
            }
        }

        public void Dispose()
        {
            lock (time._timers)
                time._timers.Remove(this);
        }

        public System.Threading.Tasks.ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
