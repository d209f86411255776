using System.Diagnostics;

namespace Reloaded.Messaging.Simulation;

/// <summary>The clock of the world.</summary>
internal sealed class WorldTime : TimeProvider
{
    private static readonly DateTimeOffset s_begin = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public override long TimestampFrequency => Stopwatch.Frequency;

    public override TimeZoneInfo LocalTimeZone => TimeZoneInfo.Utc;

    public override long GetTimestamp() => World.Now * (Stopwatch.Frequency / TimeSpan.TicksPerSecond);

    public override DateTimeOffset GetUtcNow() => s_begin.AddTicks(World.Now);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new WorldTimer(callback, state, World.Current);
        timer.Change(dueTime, period);
        return timer;
    }

    private sealed class WorldTimer(TimerCallback callback, object? state, SimulatedProcess? process) : ITimer
    {
        private World.Event? _next;
        private TimeSpan _period;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            _next?.Cancel();
            _period = period;
            _next = dueTime < TimeSpan.Zero ? null : World.After(dueTime.Ticks, process, Fire);
            return true;
        }

        public void Dispose()
        {
            _next?.Cancel();
            _period = Timeout.InfiniteTimeSpan;
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }

        private void Fire()
        {
            if (_period > TimeSpan.Zero)
                _next = World.After(_period.Ticks, process, Fire);
            callback(state);
        }
    }
}

/// <summary>A timer of the framework in the time of the world.</summary>
[StandsInFor(typeof(Timer))]
public sealed class SimulatedTimer(TimerCallback callback, object? state, int dueTime, int period) : IDisposable
{
    private readonly ITimer _timer = World.Time.CreateTimer(callback, state, SpanOf(dueTime), SpanOf(period));

    /// <summary>Sets the times, in milliseconds; -1 for never.</summary>
    public bool Change(long dueTime, long period) => _timer.Change(SpanOf(dueTime), SpanOf(period));

    /// <inheritdoc/>
    public void Dispose() => _timer.Dispose();

    private static TimeSpan SpanOf(long milliseconds) => milliseconds < 0 ? Timeout.InfiniteTimeSpan : TimeSpan.FromMilliseconds(milliseconds);
}
