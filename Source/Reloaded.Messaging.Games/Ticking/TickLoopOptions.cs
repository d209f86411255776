using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Games;

/// <summary>Options of a <see cref="TickLoop"/>. Immutable.</summary>
public sealed class TickLoopOptions
{
    /// <summary>The time between two ticks (1 ms–1 h; default: 1/60 s).</summary>
    public TimeSpan Interval
    {
        get;
        init => field = Guard.Between(TimeSpan.FromMilliseconds(1), TimeSpan.FromHours(1), value);
    } = TimeSpan.FromTicks(TimeSpan.TicksPerSecond / 60);

    /// <summary>The host whose messages are handled before each update and written after it (default: <c>null</c>, no host).</summary>
    public MessageHost? Host { get; init; }

    /// <summary>The clock and its timers (default: <see cref="TimeProvider.System"/>).</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}
