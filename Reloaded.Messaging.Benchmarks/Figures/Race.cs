using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>Times two ways of doing the same work in turn, floor and measured path, in one process and one run.</summary>
/// <remarks>
/// A path handles a block of messages and returns a checksum of what arrived; both have to return the same one, or the race is void.
/// Rounds alternate which path goes first. The ratio is taken round by round, so that a drift of the machine's speed touches both sides.
/// </remarks>
public sealed class Race
{
    private const int Rounds = 41;
    private static readonly TimeSpan s_warmUp = TimeSpan.FromMilliseconds(250);

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
    /// <param name="name">For the error when the paths disagree.</param>
    /// <param name="messages">How many messages one call of a path handles.</param>
    /// <param name="floor">The least that has to be done.</param>
    /// <param name="measured">The library.</param>
    /// <param name="roundMilliseconds">How long a round lasts: longer where paths allocate, so that each round has its share of collections.</param>
    public static Race Run(string name, int messages, Func<long> floor, Func<long> measured, int roundMilliseconds = 12)
    {
        var race = new Race(messages, roundMilliseconds);
        var expected = floor();
        var actual = measured();
        if (expected != actual || expected == 0)
            throw new InvalidOperationException($"{name}: the floor's checksum is {expected}, the measured path's {actual}: they don't do the same work.");

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

    /// <summary>Bytes that the path allocates on this thread, a message, once warm.</summary>
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
        // Long enough for the runtime to count the calls, wait, and compile once more with what it saw.
        var watch = Stopwatch.StartNew();
        var calls = 0;
        while (watch.Elapsed < s_warmUp)
        {
            path();
            if (++calls % 64 == 0)
                Thread.Yield();
        }

        var once = Time(path, 1 + (calls / 20)) * _messages;
        return Math.Max(1, (int)(_roundNanoseconds / once));
    }

    private double Time(Func<long> path, int calls)
    {
        var start = Stopwatch.GetTimestamp();
        for (var i = 0; i < calls; i++)
            path();
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / ((double)calls * _messages);
    }
}
