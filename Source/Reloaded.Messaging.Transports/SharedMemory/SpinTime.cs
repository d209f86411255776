using System;
using System.Diagnostics;

namespace Reloaded.Messaging;

/// <summary>How long a side looks for bytes before it sleeps: as long as that paid off lately.</summary>
/// <remarks>
/// A wait that would have ended within twice the longest time restores the longest time. Each longer wait halves the time. So a side that gets a
/// message now and then spends about nothing. Two sides that answer each other at once could wake each other for ever: each one sleeps just before the
/// answer of the other one, which has to wake up first. Their waits take up to <see cref="Patience"/> times the longest time. Some of the waits after
/// such waits therefore spin for that long: if the answer arrives meanwhile, both sides are awake, and stay awake.
/// </remarks>
internal sealed class SpinTime
{
    private const int Patience = 4;
    private const int MostMissed = 16;

    private static readonly long s_defaultLongest = TicksOf(new TimeSpan(500)); // 50 µs: about the cost of waking a thread
    private static readonly long s_shortest = TicksOf(new TimeSpan(10));

    private readonly long _longest;
    private readonly bool _isFixed;
    private int _missed; // the waits since the last short one that took slightly too long

    /// <param name="time">A fixed time; <c>null</c> to adapt it.</param>
    public SpinTime(TimeSpan? time)
    {
        _isFixed = time is not null;
        _longest = time is { } value ? TicksOf(value)
            : Environment.ProcessorCount > 1 ? s_defaultLongest
            : 0; // the other side can't run while this side looks for its bytes
        Ticks = _longest;
    }

    /// <summary>The time to spin now, in ticks of <see cref="Stopwatch"/>.</summary>
    public long Ticks { get; private set; }

    /// <summary>Adapts the time to a wait that ended.</summary>
    /// <param name="waited">How long it took, spinning and sleeping, in ticks of <see cref="Stopwatch"/>.</param>
    public void NoteWait(long waited)
    {
        if (_isFixed)
            return;
        if (waited <= _longest)
            _missed = 0;
        if (waited > _longest && waited <= Patience * _longest && IsTrial(++_missed))
            Ticks = Patience * _longest;
        else if (waited <= 2 * _longest)
            Ticks = _longest;
        else
            Ticks = Math.Min(_longest, Math.Max(s_shortest, Ticks / 2));
    }

    /// <summary>The first such wait, the second, the fourth, the eighth, and then every sixteenth.</summary>
    private static bool IsTrial(int missed) => missed < MostMissed ? (missed & (missed - 1)) == 0 : missed % MostMissed == 0;

    private static long TicksOf(TimeSpan time) => (long)(time.TotalSeconds * Stopwatch.Frequency);
}
