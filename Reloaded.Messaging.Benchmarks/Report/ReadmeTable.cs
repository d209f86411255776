using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>The tables of figures in <c>README.md</c> and <c>docs/comparison.md</c>, each between two comments.</summary>
internal static class ReadmeTable
{
    private const string End = "<!-- End of the written part. -->\n";

    private static readonly (string Work, string Figure, string Floor)[] s_rows =
    [
        ("dispatched to a typed handler", "dispatch.one", "a call through an array of delegates"),
        ("dispatched, eight types mixed", "dispatch.eight", "the same"),
        ("appended to a batch", "append", "a buffer with lengths and checks"),
        ("appended to a batch, many in one call", "append.all", "storing the bytes"),
        ("packed into a message and released", "pack", "renting, storing and returning an array"),
        ("queued, pumped and dispatched", "queue", "`System.Threading.Channels`"),
    ];

    /// <summary>Replaces the table of a group.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="group">The name of the group.</param>
    /// <param name="table">The new table.</param>
    public static void Write(string path, string group, string table)
    {
        var text = File.ReadAllText(path);
        var line = $"<!-- Written by `report {group}`. -->\n";
        var start = text.IndexOf(line, StringComparison.Ordinal);
        var end = start < 0 ? -1 : text.IndexOf(End, start, StringComparison.Ordinal);
        if (end < 0)
            throw new InvalidDataException($"'{path}' has no part between the lines '{line.Trim()}' and '{End.Trim()}'. Restore the two lines.");
        File.WriteAllText(path, text[..(start + line.Length)] + table + text[end..]);
    }

    /// <summary>Returns the table of the group <c>core</c>.</summary>
    /// <param name="figures">The figures of the group.</param>
    /// <param name="machine">The runtime and the machine.</param>
    public static string Draw(IReadOnlyList<Figure> figures, string machine)
    {
        var table = new StringBuilder();
        table.Append("| a message of 12 bytes, on one core | ns | million messages per second | allocated | compared with hand-written code | target |\n");
        table.Append("|---|---:|---:|---:|---:|---:|\n");
        foreach (var (work, name, floor) in s_rows)
        {
            var (ratio, time) = (Find($"{name}.ratio"), Find($"{name}.ns"));
            var allocation = Find(name.StartsWith("dispatch.", StringComparison.Ordinal) ? "dispatch.alloc" : $"{name}.alloc");
            table.Append(CultureInfo.InvariantCulture, $"| {work} | {time.Value:0.0} | {1e3 / time.Value:0} | {allocation.Value:0.##} B | {ratio.Value:0.00} × {floor} | {ratio.Goal} |\n");
        }

        table.Append(CultureInfo.InvariantCulture, $"\n{machine}. Medians of {Race.Rounds} rounds, in which the library and the hand-written code take turns.\n");
        return table.ToString();

        Figure Find(string figure) => figures.Single(one => one.Name == figure);
    }
}
