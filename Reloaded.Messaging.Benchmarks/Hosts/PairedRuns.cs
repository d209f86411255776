using System.Diagnostics;
using System.Globalization;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Two implementations of the same traffic, the floor and the library. They run alternately, each for a given time per round (or for the same work), and take turns in running first.</summary>
public sealed class PairedRuns
{
    /// <summary>The usual number of rounds.</summary>
    public const int Rounds = 11;

    private const int WarmUps = 10;

    /// <summary>How a duel is measured. Whole sentences for the report.</summary>
    public static readonly string Method = string.Create(
        CultureInfo.InvariantCulture,
        $"The two sides take turns, {Rounds} rounds of 0.2 s each, after {WarmUps} rounds that do not count: by then, the JIT has compiled the code of both sides for the last time. Values are medians of the rounds, ratios are medians of the ratios of the rounds.");

    private static readonly TimeSpan s_time = TimeSpan.FromMilliseconds(200);

    public List<double> Floor { get; } = [];

    public List<double> Ours { get; } = [];

    public List<double> Ratios { get; } = [];

    /// <summary>The processor time of each message of the floor, in microseconds.</summary>
    public List<double> FloorProcessor { get; } = [];

    /// <summary>The processor time of each message of the library, in microseconds.</summary>
    public List<double> OursProcessor { get; } = [];

    /// <param name="floor">Runs for a time and returns its rate, such as the number of messages per second.</param>
    /// <param name="ours">Runs the library for a time and returns its rate.</param>
    /// <param name="roundTime">The time of one run (default: 0.2 s).</param>
    /// <param name="rounds">The number of rounds (default: <see cref="Rounds"/>).</param>
    /// <param name="warmUps">The number of rounds before these, which do not count.</param>
    /// <param name="otherProcessorTime">The processor time of the other process; <c>null</c> if there is none.</param>
    public static async Task<PairedRuns> RunAsync(
        Func<TimeSpan, Task<double>> floor,
        Func<TimeSpan, Task<double>> ours,
        TimeSpan? roundTime = null,
        int rounds = Rounds,
        int warmUps = WarmUps,
        Func<TimeSpan>? otherProcessorTime = null)
    {
        var duel = new PairedRuns();
        var time = roundTime ?? s_time;
        for (var warmUp = 0; warmUp < warmUps; warmUp++)
        {
            await floor(time);
            await ours(time);
        }

        for (var round = 0; round < rounds; round++)
        {
            var isOursFirst = round % 2 == 1;
            var early = await RunAsync(isOursFirst ? ours : floor);
            var late = await RunAsync(isOursFirst ? floor : ours);
            duel.Floor.Add(isOursFirst ? late.Rate : early.Rate);
            duel.Ours.Add(isOursFirst ? early.Rate : late.Rate);
            duel.FloorProcessor.Add(isOursFirst ? late.Processor : early.Processor);
            duel.OursProcessor.Add(isOursFirst ? early.Processor : late.Processor);
            duel.Ratios.Add(duel.Ours[^1] / duel.Floor[^1]);
        }

        return duel;

        async Task<(double Rate, double Processor)> RunAsync(Func<TimeSpan, Task<double>> run)
        {
            var (start, used) = (Stopwatch.GetTimestamp(), ProcessorTime());
            var rate = await run(time);
            return (rate, (ProcessorTime() - used).TotalMicroseconds / (rate * Stopwatch.GetElapsedTime(start).TotalSeconds));
        }

        TimeSpan ProcessorTime() => Environment.CpuUsage.TotalTime + (otherProcessorTime?.Invoke() ?? default);
    }
}
