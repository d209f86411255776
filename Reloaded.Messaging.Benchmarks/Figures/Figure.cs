using System;
using System.Collections.Generic;
using System.Globalization;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>One measured number, with how far its rounds lay apart.</summary>
/// <param name="Name">What was measured, such as <c>pack.ratio</c>.</param>
/// <param name="Value">The median of the rounds.</param>
/// <param name="Unit">ratio, ns, B or messages/s.</param>
/// <param name="Low">The lowest round.</param>
/// <param name="High">The highest round.</param>
/// <param name="Reach">What the figure has to stay at or below; null where none is set.</param>
/// <param name="IsAtLeast">Whether it has to stay at or above that instead.</param>
public sealed record Figure(string Name, double Value, string Unit, double Low, double High, double? Reach, bool IsAtLeast = false)
{
    /// <summary>The median of the rounds, and their range.</summary>
    public static Figure Of(string name, string unit, List<double> rounds, double? reach = null, bool isAtLeast = false)
    {
        rounds.Sort();
        return new Figure(name, rounds[rounds.Count / 2], unit, rounds[0], rounds[^1], reach, isAtLeast);
    }

    /// <summary>What it has to reach, for people, and whether it does; empty where nothing is set.</summary>
    public string Goal => Reach is not { } reach ? "" :
        string.Create(CultureInfo.InvariantCulture, $"{(IsAtLeast ? ">=" : "<=")} {reach}{(IsAtLeast ? Value >= reach ? "" : " (below)" : Value <= reach ? "" : " (above)")}");

    public string Text => Format(Value);

    public string Range => $"{Format(Low)}..{Format(High)}";

    /// <summary>The line that is printed: name, value and unit first, then what is for people.</summary>
    public override string ToString()
    {
        var line = $"{Name,-30} {Text,12} {Unit,-10} spread {Range}";
        return Reach is null ? line : $"{line,-80} reach {Goal}";
    }

    private string Format(double value) => Unit switch
    {
        "messages/s" => value.ToString("F0", CultureInfo.InvariantCulture),
        "ratio" => value.ToString("F3", CultureInfo.InvariantCulture),
        _ => value.ToString("F2", CultureInfo.InvariantCulture),
    };
}
