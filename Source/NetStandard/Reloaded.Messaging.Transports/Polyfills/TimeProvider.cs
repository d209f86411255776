using System.Diagnostics;

namespace Reloaded.Messaging;

/// <summary>A clock and its timers. Replaces <c>System.TimeProvider</c> of .NET 8, with the members that this library uses: this target lacks the type, and Mono does not load the package that contains it.</summary>
public abstract class TimeProvider
{
    /// <summary>The clock of the system.</summary>
    public static TimeProvider System { get; } = new SystemTimeProvider();

    /// <summary>The number of timestamps per second (default: that of <see cref="Stopwatch"/>).</summary>
    public virtual long TimestampFrequency => Stopwatch.Frequency;

    /// <summary>The time zone of <see cref="GetLocalNow"/> (default: that of the system).</summary>
    public virtual TimeZoneInfo LocalTimeZone => TimeZoneInfo.Local;

    /// <summary>Returns the current time.</summary>
    /// <returns>The time, with the offset zero.</returns>
    public virtual DateTimeOffset GetUtcNow() => DateTimeOffset.UtcNow;

    /// <summary>Returns the current time in <see cref="LocalTimeZone"/>.</summary>
    /// <returns>The time, with the offset of the time zone.</returns>
    public DateTimeOffset GetLocalNow() => TimeZoneInfo.ConvertTime(GetUtcNow(), LocalTimeZone);

    /// <summary>Returns a timestamp that never decreases.</summary>
    /// <returns>The timestamp, in units of <see cref="TimestampFrequency"/>.</returns>
    public virtual long GetTimestamp() => Stopwatch.GetTimestamp();

    /// <summary>Returns the time between two timestamps.</summary>
    /// <param name="startingTimestamp">The earlier timestamp.</param>
    /// <param name="endingTimestamp">The later timestamp.</param>
    /// <returns>The time; negative if the timestamps are in the other order.</returns>
    public TimeSpan GetElapsedTime(long startingTimestamp, long endingTimestamp) =>
        new((long)((endingTimestamp - startingTimestamp) * ((double)TimeSpan.TicksPerSecond / TimestampFrequency)));

    /// <summary>Returns the time since a timestamp.</summary>
    /// <param name="startingTimestamp">The timestamp.</param>
    /// <returns>The time.</returns>
    public TimeSpan GetElapsedTime(long startingTimestamp) => GetElapsedTime(startingTimestamp, GetTimestamp());

    /// <summary>Creates a timer.</summary>
    /// <param name="callback">Called each time the timer is due.</param>
    /// <param name="state">Passed to the callback.</param>
    /// <param name="dueTime">The time until the first call; <see cref="Timeout.InfiniteTimeSpan"/> for none.</param>
    /// <param name="period">The time between two calls; <see cref="Timeout.InfiniteTimeSpan"/> for one call only.</param>
    /// <returns>The timer. The caller disposes it.</returns>
    public virtual ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => new SystemTimer(new Timer(callback, state, dueTime, period));

    private sealed class SystemTimeProvider : TimeProvider;

    private sealed class SystemTimer(Timer timer) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            try
            {
                return timer.Change(dueTime, period);
            }
            catch (ObjectDisposedException)
            {
                return false;
            }
        }

        public void Dispose() => timer.Dispose();

        public global::System.Threading.Tasks.ValueTask DisposeAsync()
        {
            timer.Dispose();
            return default;
        }
    }
}

/// <summary>A timer of a <see cref="TimeProvider"/>. Replaces <c>System.Threading.ITimer</c> of .NET 8.</summary>
public interface ITimer : IDisposable, IAsyncDisposable
{
    /// <summary>Changes the due time and the period.</summary>
    /// <param name="dueTime">The time until the next call.</param>
    /// <param name="period">The time between two calls.</param>
    /// <returns><see langword="true"/> if the timer was changed; <see langword="false"/> if it was disposed.</returns>
    bool Change(TimeSpan dueTime, TimeSpan period);
}
