using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
using Examples.Broker;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Processes;
using Reloaded.Messaging.Benchmarks.Rabbit.Processes;

namespace Reloaded.Messaging.Benchmarks.Rabbit;

/// <summary><c>rabbit-endurance [MINUTES]</c>: one process publishes at least once at full speed, another process handles the messages. Prints whether their memory grows.</summary>
public static class RabbitEndurance
{
    public const string Verb = "rabbit-endurance";

    private const double DefaultMinutes = 10;
    private const double MaxGrowth = 1.1;
    private const int Samples = 60;
    private const int SamplesPerRow = 6;

    private static readonly (string Name, Func<Sample, long> Read)[] s_series =
    [
        ("publisher.heap", static sample => sample.Publisher.Heap),
        ("publisher.resident", static sample => sample.Publisher.Resident),
        ("consumer.heap", static sample => sample.Consumer.Heap),
        ("consumer.resident", static sample => sample.Consumer.Resident),
    ];

    /// <returns>0 if the memory did not grow; 1 if it grew; 2 if the arguments are invalid or there is no broker.</returns>
    public static async Task<int> RunAsync(string[] args)
    {
        var minutes = DefaultMinutes;
        if (args.Length > 1 || (args.Length == 1 && !(double.TryParse(args[0], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out minutes) && minutes > 0)))
        {
            Console.Error.WriteLine($"Usage: {Verb} [MINUTES], for example: {Verb} 0.5");
            return 2;
        }

        if (LocalBroker.Missing is not null)
        {
            Console.Error.WriteLine(LocalBroker.Missing);
            return 2;
        }

        await using var broker = await LocalBroker.StartAsync();
        using var pairs = new ProcessPairs(broker.Port);
        await pairs.GrowAsync(1);
        var samples = await MeasureAsync(pairs, TimeSpan.FromMinutes(minutes));
        return Report(samples) ? 0 : 1;
    }

    /// <summary>Runs the traffic, and reads the memory between two parts of it.</summary>
    private static async Task<List<Sample>> MeasureAsync(ProcessPairs pairs, TimeSpan time)
    {
        var (watch, samples) = (Stopwatch.StartNew(), new List<Sample>());
        while (samples.Count < Samples)
        {
            var rate = await pairs.RunAsync(RabbitRole.Ours, time / Samples);
            var (publisher, consumer) = (await pairs.GetMemoryAsync())[0];
            samples.Add(new Sample(watch.Elapsed, rate, publisher, consumer));
            if (samples.Count % SamplesPerRow == 0)
                Console.WriteLine(samples[^1]);
        }

        Console.WriteLine();
        return samples;
    }

    private static bool Report(List<Sample> samples)
    {
        const int Third = Samples / 3;
        var (second, last) = (samples.GetRange(Third, Third), samples.GetRange(2 * Third, Third));
        List<Figure> figures =
        [
            Figure.Of($"{Verb}.rate", "messages/s", samples.Select(static sample => sample.Rate)),
            .. s_series.Select(series => Ratio($"{Verb}.{series.Name}.ratio", second.Select(series.Read), last.Select(series.Read))),
        ];
        figures.ForEach(Console.WriteLine);
        return figures.TrueForAll(static figure => figure.IsReached);
    }

    /// <summary>Returns the last values divided by the median of the earlier values.</summary>
    private static Figure Ratio(string name, IEnumerable<long> earlier, IEnumerable<long> last)
    {
        var median = Figure.Of(name, Figure.Bytes, earlier.Select(static value => (double)value)).Value;
        return Figure.Of(name, "ratio", last.Select(value => value / median), MaxGrowth);
    }

    private sealed record Sample(TimeSpan At, double Rate, ProcessMemory Publisher, ProcessMemory Consumer)
    {
        public override string ToString() => string.Create(
            CultureInfo.InvariantCulture,
            $"{At.TotalMinutes,6:F1} min {Rate,8:F0} messages/s   publisher: heap {Mebi(Publisher.Heap)}, resident {Mebi(Publisher.Resident)}   consumer: heap {Mebi(Consumer.Heap)}, resident {Mebi(Consumer.Resident)}");

        private static string Mebi(long bytes) => string.Create(CultureInfo.InvariantCulture, $"{bytes / 1048576.0:F2} MiB");
    }
}
