using System.Diagnostics;

namespace Reloaded.Messaging;

/// <summary>How long a side looks for bytes before it sleeps: as long as that paid off lately.</summary>
/// <remarks>
/// A wait that would have ended within twice the longest time restores the longest time. Each longer wait halves the time, so a side that gets a
/// message now and then spends about nothing. If waking takes longer than the longest time, two sides that answer each other at once would each sleep
/// just before the answer, and wake each other for ever. So every eighth of the waits that last up to eight times the longest time tries four times the
/// longest time: one answer in that time, and both sides are awake.
/// </remarks>
internal sealed class SpinTime
{
    private static readonly long s_defaultLongest = TicksOf(new TimeSpan(500)); // 50 µs: about the cost of waking a thread
    private static readonly long s_shortest = TicksOf(new TimeSpan(10));

    private const int WaitsPerTrial = 8;

    private readonly long _longest;
    private readonly bool _isFixed;
    private int _slowWaits;

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
        if (waited > _longest && waited <= 8 * _longest && ++_slowWaits % WaitsPerTrial == 0)
            Ticks = 4 * _longest;
        else if (waited <= 2 * _longest)
            Ticks = _longest;
        else
            Ticks = Math.Min(_longest, Math.Max(s_shortest, Ticks / 2));
    }

    private static long TicksOf(TimeSpan time) => (long)(time.TotalSeconds * Stopwatch.Frequency);
}
