using System.Diagnostics;
using Xunit;

namespace Reloaded.Messaging.Tests.SharedMemory;

public sealed class SpinTimeTests
{
    [Fact]
    public void Long_waits_shorten_it_to_a_microsecond_and_a_short_wait_restores_it()
    {
        Assert.SkipUnless(Environment.ProcessorCount > 1, "This machine has one processor: the time is always 0.");
        var spin = new SpinTime(null);
        var longest = spin.Ticks;
        Assert.Equal(50, Microseconds(longest), 1.0);

        for (var i = 0; i < 20; i++)
            spin.NoteWait(Stopwatch.Frequency);
        Assert.Equal(1, Microseconds(spin.Ticks), 0.1);

        spin.NoteWait(longest);
        Assert.Equal(longest, spin.Ticks);
    }

    [Fact]
    public void Every_eighth_wait_that_waking_may_explain_tries_four_times_as_long()
    {
        Assert.SkipUnless(Environment.ProcessorCount > 1, "This machine has one processor: the time is always 0.");
        var spin = new SpinTime(null);
        var longest = spin.Ticks;

        for (var i = 0; i < 7; i++)
        {
            spin.NoteWait(3 * longest);
            Assert.InRange(spin.Ticks, 0, longest);
        }

        spin.NoteWait(3 * longest);
        Assert.Equal(4 * longest, spin.Ticks);
        spin.NoteWait(3 * longest);
        Assert.InRange(spin.Ticks, 0, longest);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(200)]
    public void A_fixed_time_stays(int microseconds)
    {
        var spin = new SpinTime(TimeSpan.FromMicroseconds(microseconds));

        spin.NoteWait(Stopwatch.Frequency);
        spin.NoteWait(0);

        Assert.Equal(microseconds, Microseconds(spin.Ticks), 0.1);
    }

    private static double Microseconds(long ticks) => ticks * 1e6 / Stopwatch.Frequency;
}
