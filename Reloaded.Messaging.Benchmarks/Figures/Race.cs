using System.Diagnostics;
using System.Globalization;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>Times two implementations of the same work, the floor and the measured path, alternately, in one process and one run.</summary>
/// <remarks>
/// A path handles a block of messages and returns the checksum of the received messages. The race is invalid if the two checksums differ.
/// The path that runs first alternates from round to round. A ratio is calculated for each round, so that a change of the machine's speed affects
/// the floor and the path alike.
/// </remarks>
public sealed class Race
{
    /// <summary>The number of rounds.</summary>
    public const int Rounds = 41;

    /// <summary>How a race is measured. Whole sentences for the report.</summary>
    public static readonly string Method = string.Create(
        CultureInfo.InvariantCulture,
        $"The two sides run in one process, take turns in running first, and must return the same checksum. Values are medians of {Rounds} rounds, ratios are medians of the ratios of the rounds.");

    private const int SlicesWithoutImprovement = 6;
    private static readonly TimeSpan s_warmUp = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan s_longestWarmUp = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan s_slice = TimeSpan.FromMilliseconds(40);

    private readonly int _messages;

    private readonly double _roundNanoseconds;

    private Race(int messages, int roundMilliseconds)
    {
        _messages = messages;
        _roundNanoseconds = roundMilliseconds * 1e6;
    }

    public List<double> Floor { get; } = [];

    public List<double> Measured { get; } = [];

    public List<double> Ratios { get; } = [];

    /// <summary>Runs a race.</summary>
    /// <param name="name">The name for the error message if the checksums differ.</param>
    /// <param name="messages">The number of messages that one call of a path handles.</param>
    /// <param name="floor">The smallest code that does the work.</param>
    /// <param name="measured">The work, done by the library.</param>
    /// <param name="roundMilliseconds">The duration of a round. Longer if the paths allocate, so that each round contains garbage collections.</param>
    public static Race Run(string name, int messages, Func<long> floor, Func<long> measured, int roundMilliseconds = 12)
    {
        var race = Compare(name, messages, floor, measured, roundMilliseconds);
        var floorCalls = race.WarmUp(floor);
        var measuredCalls = race.WarmUp(measured);
        for (var round = 0; round < Rounds; round++)
        {
            var measuredFirst = round % 2 == 1;
            var early = measuredFirst ? race.Time(measured, measuredCalls) : race.Time(floor, floorCalls);
            var late = measuredFirst ? race.Time(floor, floorCalls) : race.Time(measured, measuredCalls);
            race.Floor.Add(measuredFirst ? late : early);
            race.Measured.Add(measuredFirst ? early : late);
            race.Ratios.Add(race.Measured[^1] / race.Floor[^1]);
        }

        return race;
    }

    /// <summary>Returns a race without rounds, after a comparison of the two checksums.</summary>
    /// <inheritdoc cref="Run"/>
    public static Race Compare(string name, int messages, Func<long> floor, Func<long> measured, int roundMilliseconds = 12)
    {
        var expected = floor();
        var actual = measured();
        if (expected != actual || expected == 0)
            throw new InvalidOperationException($"{name}: the checksum of the floor is {expected}, the checksum of the measured path is {actual}. The two do not do the same work.");
        return new Race(messages, roundMilliseconds);
    }

    /// <summary>Returns the bytes that the path allocates per message on this thread, after warm-up.</summary>
    public static double Allocated(int messages, int calls, Func<long> path)
    {
        path();
        path();
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < calls; i++)
            path();
        return (GC.GetAllocatedBytesForCurrentThread() - before) / ((double)messages * calls);
    }

    private int WarmUp(Func<long> path)
    {
        // Long enough for the runtime to count the calls and to compile the code a second time with the collected profile. On a busy machine
        // that takes longer, so the warm-up goes on while the path becomes faster.
        var watch = Stopwatch.StartNew();
        var best = double.MaxValue;
        var sinceImproved = 0;
        while (watch.Elapsed < s_warmUp || (sinceImproved < SlicesWithoutImprovement && watch.Elapsed < s_longestWarmUp))
        {
            var calls = 0;
            var start = Stopwatch.GetTimestamp();
            while (Stopwatch.GetElapsedTime(start) < s_slice)
            {
                path();
                calls++;
            }

            var time = Stopwatch.GetElapsedTime(start).TotalNanoseconds / calls;
            sinceImproved = time < best * 0.97 ? 0 : sinceImproved + 1;
            best = Math.Min(best, time);
            Thread.Yield();
        }

        return Math.Max(1, (int)(_roundNanoseconds / best));
    }

    private double Time(Func<long> path, int calls)
    {
        var start = Stopwatch.GetTimestamp();
        for (var i = 0; i < calls; i++)
            path();
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / ((double)calls * _messages);
    }
}
