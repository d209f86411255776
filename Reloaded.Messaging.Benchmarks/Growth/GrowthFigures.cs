using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Benchmarks.Growth;

/// <summary>Group <c>growth</c>: what one of 1, 10, 100, 1,000 and 10,000 things costs. Many of them cost more together, and each costs the same.</summary>
internal sealed class GrowthFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int Rounds = 5;
    private const int Few = 100; // fewer are too short to measure

    /// <summary>How much an exponent may exceed the expected one. Ten times as many things miss the caches of the processor more often. A list that is searched for each thing has 1.</summary>
    private const double Slack = 0.35;

    public override string Method => string.Create(CultureInfo.InvariantCulture, $"Servers and clients are in one process, over the channel in memory. Each case makes a number of things (up to 10,000) and does the same with each. Values are the times for each of them, of the fastest of {Rounds} rounds; `exponent` is the growth of this time from {Few} things to the most: 0 is expected, and 1 means that each thing costs as much as there are things. 1 is expected of `subscriptions`, as of the events of C#, and of the bytes of `queue`, because a thread keeps 1,024 spare buffers. `bytes.exponent` is that of the allocated bytes.");

    public override void Measure()
    {
        if (!OnlyAllocations)
            MeasureAsync().GetAwaiter().GetResult();
    }

    private async Task MeasureAsync()
    {
        foreach (var (name, largest, measureAsync, expected) in GrowthCases.All)
        {
            var costs = new List<(int Count, Cost Least)>();
            await measureAsync(Few); // compiles the code
            for (var count = 1; count <= largest; count *= 10)
            {
                var rounds = new List<Cost>();
                for (var round = 0; round < Rounds; round++)
                    rounds.Add(await measureAsync(count));
                costs.Add((count, new Cost(rounds.Min(static cost => cost.Nanoseconds), rounds.Min(static cost => cost.Bytes))));
                Report(string.Create(CultureInfo.InvariantCulture, $"growth.{name}.{count}.ns"), "ns", [costs[^1].Least.Nanoseconds]);
            }

            var few = costs.Single(static one => one.Count == Few);
            var decades = Math.Log10((double)largest / Few);
            Report($"growth.{name}.exponent", "exponent", [Math.Log10(costs[^1].Least.Nanoseconds / few.Least.Nanoseconds) / decades], expected.Nanoseconds + Slack);
            Report($"growth.{name}.bytes.exponent", "exponent", [Math.Log10(Math.Max(1, costs[^1].Least.Bytes) / Math.Max(1, few.Least.Bytes)) / decades], expected.Bytes + Slack);
        }
    }
}
