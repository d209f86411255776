using System;
using System.Collections.Generic;
using System.Globalization;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>One measured number, with the range of its rounds.</summary>
/// <param name="Name">The name of the measurement, such as <c>pack.ratio</c>.</param>
/// <param name="Value">The median of the rounds.</param>
/// <param name="Unit">The unit: ratio, ns, B or messages/s.</param>
/// <param name="Low">The lowest round.</param>
/// <param name="High">The highest round.</param>
/// <param name="Reach">The target, which is an upper bound; <c>null</c> for a figure without a target.</param>
/// <param name="IsAtLeast">Whether the target is a lower bound instead.</param>
public sealed record Figure(string Name, double Value, string Unit, double Low, double High, double? Reach, bool IsAtLeast = false)
{
    /// <summary>Creates a figure from its rounds. The value is the median.</summary>
    public static Figure Of(string name, string unit, List<double> rounds, double? reach = null, bool isAtLeast = false)
    {
        rounds.Sort();
        return new Figure(name, rounds[rounds.Count / 2], unit, rounds[0], rounds[^1], reach, isAtLeast);
    }

    /// <summary>The target as text, with a remark if the figure misses it; empty for a figure without a target.</summary>
    public string Goal => Reach is not { } reach ? "" :
        string.Create(CultureInfo.InvariantCulture, $"{(IsAtLeast ? ">=" : "<=")} {reach}{(IsAtLeast ? Value >= reach ? "" : " (below)" : Value <= reach ? "" : " (above)")}");

    public string Text => Format(Value);

    public string Range => $"{Format(Low)}..{Format(High)}";

    /// <summary>The printed line. The first three columns are name, value and unit; the rest is for the reader.</summary>
    public override string ToString()
    {
        var line = $"{Name,-30} {Text,12} {Unit,-10} spread {Range}";
        return Reach is null ? line : $"{line,-80} target {Goal}";
    }

    private string Format(double value) => Unit switch
    {
        "messages/s" => value.ToString("F0", CultureInfo.InvariantCulture),
        "ratio" => value.ToString("F3", CultureInfo.InvariantCulture),
        _ => value.ToString("F2", CultureInfo.InvariantCulture),
    };
}
