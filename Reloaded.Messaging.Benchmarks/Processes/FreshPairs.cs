using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Benchmarks.Processes;

/// <summary>Measures a group of two processes in several new pairs of them.</summary>
/// <remarks>The state of a process decides more than a round: which thread of the pool runs where, and which code the JIT has compiled with which profile. Rounds in one pair do not show it.</remarks>
internal static class FreshPairs
{
    /// <summary>The argument with which this program measures a group in one pair of processes.</summary>
    public const string Verb = "figures-of-pair";

    /// <summary>The number of pairs.</summary>
    public const int Count = 5;

    /// <summary>How such figures are measured. Whole sentences for the report.</summary>
    public static readonly string Method = string.Create(CultureInfo.InvariantCulture, $"Each value is the median of {Count} new pairs of processes, of which each has its own rounds and takes the median of them; the range is that of the pairs.");

    private const string Result = "result ";

    private static readonly JsonSerializerOptions s_json = new() { NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals }; // a ratio of figures that are 0

    /// <summary>Measures a group in this process, and prints the results for the process that started it.</summary>
    public static void Run(string group)
    {
        var measured = FigureGroups.MeasureHere(group, static figure => Console.WriteLine(figure));
        Console.WriteLine(Result + JsonSerializer.Serialize(measured.Results, s_json));
    }

    /// <summary>Measures a group in new processes. Their figures are printed to the standard error.</summary>
    public static async Task<IReadOnlyList<GroupResults>> MeasureAsync(string group)
    {
        var pairs = new List<GroupResults>();
        while (pairs.Count < Count)
        {
            using var process = OtherProcess.Start(Verb, group);
            string line;
            while (!(line = await process.ReadAsync()).StartsWith(Result, StringComparison.Ordinal))
                Console.Error.WriteLine(string.Create(CultureInfo.InvariantCulture, $"pair {pairs.Count + 1}: {line}"));
            pairs.Add(JsonSerializer.Deserialize<GroupResults>(line.AsSpan(Result.Length), s_json)!);
        }

        return pairs;
    }
}
