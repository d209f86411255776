using System;
using System.Diagnostics;

namespace Reloaded.Messaging;

/// <summary>How much one pump may do: so many messages, or so long, or both.</summary>
/// <remarks>A pump handles at least one message if there is one, so that a slow machine still gets on; and never more than were queued when it began.</remarks>
public readonly record struct PumpBudget
{
    private static readonly TimeSpan s_endless = TimeSpan.FromDays(365);

    // How much less than everything, so that the default value is everything.
    private readonly int _messagesLess;
    private readonly long _ticksLess;

    private PumpBudget(int messages, long ticks)
    {
        _messagesLess = int.MaxValue - messages;
        _ticksLess = long.MaxValue - ticks;
    }

    /// <summary>Everything that is queued when the pump begins. The default value, too.</summary>
    public static PumpBudget All => default;

    internal int MaxMessages => int.MaxValue - _messagesLess;

    /// <summary>In ticks of <see cref="Stopwatch"/>.</summary>
    internal long MaxTicks => long.MaxValue - _ticksLess;

    /// <summary>At most <paramref name="count"/> messages.</summary>
    /// <param name="count">1 or more.</param>
    public static PumpBudget Messages(int count)
    {
        if (count < 1)
            Throw.ArgumentOutOfRange(nameof(count), count, "a pump handles 1 message or more");
        return new PumpBudget(count, long.MaxValue);
    }

    /// <summary>No further message once <paramref name="time"/> has passed. A handler that runs is never interrupted.</summary>
    /// <param name="time">Zero or more.</param>
    public static PumpBudget Time(TimeSpan time)
    {
        if (time < TimeSpan.Zero)
            Throw.ArgumentOutOfRange(nameof(time), time, "a time budget is zero or more");
        return new PumpBudget(int.MaxValue, time > s_endless ? long.MaxValue : (long)(time.TotalSeconds * Stopwatch.Frequency));
    }

    /// <summary>The stricter of both, in messages and in time.</summary>
    public PumpBudget And(PumpBudget other) => new(Math.Min(MaxMessages, other.MaxMessages), Math.Min(MaxTicks, other.MaxTicks));
}
