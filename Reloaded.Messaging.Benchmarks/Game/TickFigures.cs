using System.Diagnostics;
using System.Globalization;
using Reloaded.Messaging.Games;

namespace Reloaded.Messaging.Benchmarks.Game;

/// <summary>Measures the cost of waiting for the next tick: by a number of yields, as that server once did, by the state machine alone, by a timer, and by the tick loop.</summary>
public sealed class TickFigures
{
    private const int Rounds = 11;

    public delegate void ReportFigure(string name, string unit, List<double> rounds, double? reach);

    /// <summary>Measures the ways to wait for a tick.</summary>
    public void MeasureTimes(ReportFigure report)
    {
        foreach (var yields in (int[])[1, 5, 13, 20])
            report(string.Create(CultureInfo.InvariantCulture, $"tick.yield.{yields}.ns"), "ns", Time(2000, () => YieldAsync(yields)), null);
        report("tick.sync.ns", "ns", Time(200_000, () => YieldAsync(0)), null);
        using (var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(1)))
            report("tick.timer.ns", "ns", Time(50, async () => await timer.WaitForNextTickAsync()), null);
    }

    /// <summary>Measures the tick loop.</summary>
    public void MeasureLoop(ReportFigure report)
    {
        var (late, bytes) = LoopAsync().GetAwaiter().GetResult();
        report("tick.late.ns", "ns", late, null);
        report("tick.alloc", "B", [bytes], 0);
    }

    private static async Task YieldAsync(int times)
    {
        for (var i = 0; i < times; i++)
            await Task.Yield();
    }

    /// <returns>The time per tick, in nanoseconds.</returns>
    private static List<double> Time(int ticks, Func<Task> tickAsync)
    {
        var rounds = new List<double>();
        for (var round = 0; round <= Rounds; round++)
        {
            var start = Stopwatch.GetTimestamp();
            RunAsync().GetAwaiter().GetResult();
            if (round > 0)
                rounds.Add(Stopwatch.GetElapsedTime(start).TotalNanoseconds / ticks);
        }

        return rounds;

        async Task RunAsync()
        {
            await Task.Yield();
            for (var i = 0; i < ticks; i++)
                await tickAsync();
        }
    }

    /// <returns>The delays of ticks in nanoseconds, and the bytes that all threads allocate per tick. The bytes are the mean of all rounds after the first.</returns>
    private static async Task<(List<double> Late, double Bytes)> LoopAsync()
    {
        const int Ticks = 200;
        var late = new List<double>(Ticks * 8);
        long bytes = 0;
        long ticks = 0;
        long count = 0;
        await using var loop = new TickLoop(
            (in Tick tick) =>
            {
                count++;
                if (late.Count < late.Capacity)
                    late.Add(tick.Late.TotalNanoseconds);
            },
            new TickLoopOptions { Interval = TimeSpan.FromMilliseconds(2) });
        loop.Start();
        for (var round = 0; round < 6; round++)
        {
            var (start, before) = (Volatile.Read(ref count), GC.GetTotalAllocatedBytes(precise: true));
            while (Volatile.Read(ref count) < start + Ticks)
                Thread.Sleep(20);
            var allocated = GC.GetTotalAllocatedBytes(precise: true) - before;
            if (round == 0)
                continue; // warm-up
            bytes += allocated;
            ticks += Volatile.Read(ref count) - start;
        }

        return (late, bytes / (double)ticks);
    }
}
