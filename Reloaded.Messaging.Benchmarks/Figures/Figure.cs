using System.Globalization;
using System.Linq;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>One measured number, with the range of its rounds.</summary>
/// <param name="Name">The name of the measurement, such as <c>pack.ratio</c>.</param>
/// <param name="Value">The median of the rounds.</param>
/// <param name="Unit">The unit, such as ratio, ns, B or messages/s.</param>
/// <param name="Low">The lowest round.</param>
/// <param name="High">The highest round.</param>
/// <param name="Reach">The target, which is an upper bound; <c>null</c> for a figure without a target.</param>
/// <param name="IsAtLeast">Whether the target is a lower bound instead.</param>
/// <param name="States">The medians of two groups of rounds, if the rounds are in two groups with nothing between them; otherwise, <c>null</c>.</param>
public sealed record Figure(string Name, double Value, string Unit, double Low, double High, double? Reach, bool IsAtLeast = false, double[]? States = null)
{
    /// <summary>The unit of allocations.</summary>
    public const string Bytes = "B";

    /// <summary>The unit of established sessions.</summary>
    public const string Sessions = "sessions/s";

    /// <summary>Bytes per message below this number are printed as 0.00. They are allocations of the runtime, not of each message.</summary>
    private const double PrintedAsZero = 0.005;

    private const int FewestOfState = 2;
    private const double SmallestGap = 0.15; // of the median

    /// <summary>Whether the figure has no target, or reaches it. A target of 0 B is reached by a value that is printed as 0.00.</summary>
    public bool IsReached => Reach is not { } reach || Reaches(Value, reach);

    /// <summary>Creates a figure from its rounds. The value is the median.</summary>
    public static Figure Of(string name, string unit, IEnumerable<double> rounds, double? reach = null, bool isAtLeast = false)
    {
        var sorted = rounds.Order().ToList();
        return new Figure(name, sorted[sorted.Count / 2], unit, sorted[0], sorted[^1], reach, isAtLeast, FindStates(sorted));
    }

    /// <summary>Finds the widest gap between two rounds. It divides two states if each has at least two rounds, and the gap is wider than twice the range of each.</summary>
    private static double[]? FindStates(List<double> sorted)
    {
        if (sorted.Count < FewestOfState * 2)
            return null;
        var widest = Enumerable.Range(FewestOfState, sorted.Count - (2 * FewestOfState) + 1).MaxBy(i => sorted[i] - sorted[i - 1]);
        var gap = sorted[widest] - sorted[widest - 1];
        var isClear = gap > SmallestGap * sorted[sorted.Count / 2] && gap > 2 * Math.Max(sorted[widest - 1] - sorted[0], sorted[^1] - sorted[widest]);
        return isClear ? [sorted[widest / 2], sorted[(widest + sorted.Count) / 2]] : null;
    }

    /// <summary>The target as text, with a remark if the figure misses it; empty for a figure without a target.</summary>
    public string Goal => IsReached ? Bound : $"{Bound} (missed)";

    /// <summary>The target as text, without a remark; empty for a figure without a target.</summary>
    public string Bound => Reach is { } reach ? string.Create(CultureInfo.InvariantCulture, $"{(IsAtLeast ? ">=" : "<=")} {reach}") : "";

    /// <summary>Whether at least one round reaches the target.</summary>
    public bool IsTargetInRange => Reach is { } reach && Reaches(IsAtLeast ? High : Low, reach);

    public string Text => Format(Value);

    public string Range => $"{Format(Low)}..{Format(High)}{(States is [var low, var high] ? $", two states: {Format(low)} and {Format(high)}" : "")}";

    /// <summary>The printed line. The first three columns are name, value and unit; the rest is for the reader.</summary>
    public override string ToString()
    {
        var line = $"{Name,-30} {Text,12} {Unit,-10} spread {Range}";
        return Reach is null ? line : $"{line,-80} target {Goal}";
    }

    private bool Reaches(double value, double reach) => IsAtLeast ? value >= reach : value <= reach || (Unit == Bytes && value < reach + PrintedAsZero);

    private string Format(double value) => Unit switch
    {
        "messages/s" or Sessions => value.ToString("F0", CultureInfo.InvariantCulture),
        "ratio" => value.ToString("F3", CultureInfo.InvariantCulture),
        _ => value.ToString("F2", CultureInfo.InvariantCulture),
    };
}
