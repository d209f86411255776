using System;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Games;

/// <summary>How a loop ticks. Immutable.</summary>
public sealed class TickLoopOptions
{
    /// <summary>The time from one tick to the next: 1 ms to 1 h, by default a sixtieth of a second.</summary>
    public TimeSpan Interval
    {
        get;
        init => field = value >= TimeSpan.FromMilliseconds(1) && value <= TimeSpan.FromHours(1)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, $"{value} is out of range: ticks are 1 ms to 1 h apart.");
    } = TimeSpan.FromSeconds(1.0 / 60);

    /// <summary>What to do when it is late.</summary>
    public TickOverrunMode WhenLate { get; init; } = TickOverrunMode.Skip;

    /// <summary>The most ticks to run one after the other under <see cref="TickOverrunMode.CatchUp"/>: 1 or more, by default 5. A world that takes longer than its interval would otherwise never be done.</summary>
    public int MaxCatchUp
    {
        get;
        init => field = value >= 1
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, $"{value} is out of range: a loop catches up by 1 tick or more.");
    } = 5;

    /// <summary>Whose messages to handle before each update, and whose to write after it; null for none.</summary>
    public MessageHost? Host { get; init; }

    /// <summary>How much a tick may handle of what came, if the host is pumped.</summary>
    public PumpBudget PumpBudget { get; init; }

    /// <summary>The clock and its timers.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}
