using System.Diagnostics;

namespace Reloaded.Messaging;

/// <summary>The limits of one pump: a number of messages, a time, or both.</summary>
/// <remarks>A pump handles at least one message if one is queued, so that a slow machine makes progress, and never more than were queued when it began.</remarks>
public readonly record struct PumpBudget
{
    private static readonly TimeSpan s_endless = TimeSpan.FromDays(365);

    // Stored as the difference to no limit, so that the default value means no limit.
    private readonly int _messagesLess;
    private readonly long _ticksLess;

    private PumpBudget(int messages, long ticks)
    {
        _messagesLess = int.MaxValue - messages;
        _ticksLess = long.MaxValue - ticks;
    }

    /// <summary>No limit: all messages that are queued when the pump begins. This is the default value.</summary>
    public static PumpBudget All => default;

    internal int MaxMessages => int.MaxValue - _messagesLess;

    /// <summary>In ticks of <see cref="Stopwatch"/>.</summary>
    internal long MaxTicks => long.MaxValue - _ticksLess;

    /// <summary>Limits the number of messages.</summary>
    /// <param name="count">The maximum number of messages (1 or more).</param>
    public static PumpBudget Messages(int count) => new(Guard.AtLeast(1, count, nameof(count)), long.MaxValue);

    /// <summary>Limits the time. No message is started after <paramref name="time"/>; a running handler is never interrupted.</summary>
    /// <param name="time">The time (zero or more).</param>
    public static PumpBudget Time(TimeSpan time)
    {
        Guard.Between(TimeSpan.Zero, TimeSpan.MaxValue, time, nameof(time));
        return new PumpBudget(int.MaxValue, time > s_endless ? long.MaxValue : (long)(time.TotalSeconds * Stopwatch.Frequency));
    }
}

/// <summary>The counts of one pump.</summary>
/// <param name="Pumped">The number of messages that were taken from the queue and dispatched.</param>
/// <param name="Handled">The number of those that reached a handler or the fallback. The counts of the dispatcher explain the others.</param>
/// <param name="Remaining">The number of messages that were queued at the end. Approximate while producers are active.</param>
public readonly record struct PumpResult(int Pumped, int Handled, int Remaining);
