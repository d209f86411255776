using System;
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

    /// <summary>The behavior when more than one tick is due (default: <see cref="TickOverrunMode.Skip"/>).</summary>
    public TickOverrunMode WhenLate { get; init; } = TickOverrunMode.Skip;

    /// <summary>The maximum number of consecutive ticks with <see cref="TickOverrunMode.CatchUp"/>. It bounds the work of a world that needs longer than its interval: more ticks would only delay it further.</summary>
    internal int MaxCatchUp { get; init; } = 5;

    /// <summary>The host whose messages are handled before each update and written after it (default: <c>null</c>, no host).</summary>
    public MessageHost? Host { get; init; }

    /// <summary>The clock and its timers (default: <see cref="TimeProvider.System"/>).</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}

/// <summary>The behavior of a loop when more than one tick is due, because a tick took too long or the machine was busy.</summary>
/// <remarks>This is not a <see cref="FullMode"/>: the ticks are not items in a queue, and the choice is whether late ticks are run.</remarks>
public enum TickOverrunMode
{
    /// <summary>Runs the newest tick, and counts the others as skipped. For worlds that compute their time from the tick's number.</summary>
    Skip,

    /// <summary>Runs the due ticks one after the other, up to five, and skips older ones. For worlds with fixed steps.</summary>
    CatchUp,
}
