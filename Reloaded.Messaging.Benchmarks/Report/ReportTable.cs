using System.IO;
using System.Linq;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>A table of a page. The first cell of a row is the name of the row.</summary>
/// <param name="Columns">The names of the columns.</param>
/// <param name="Alignments">The alignments of the columns, in Markdown.</param>
/// <param name="Rows">The cells of each row.</param>
internal sealed record ReportTable(string[] Columns, string[] Alignments, IReadOnlyList<string[]> Rows)
{
    /// <summary>Reads a table in Markdown.</summary>
    public static ReportTable Parse(string text)
    {
        var lines = text.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => Array.ConvertAll(line[1..^1].Split('|'), static cell => cell.Trim())).ToList();
        return new ReportTable(lines[0], lines[1], lines[2..]);
    }

    /// <summary>Returns a cell.</summary>
    /// <exception cref="InvalidDataException">Thrown when the table has no such row or column.</exception>
    public string this[string row, string column] =>
        Find(row, column) ?? throw new InvalidDataException($"The table with the columns '{string.Join("', '", Columns)}' has no row '{row}' with a column '{column}'. Measure its group.");

    /// <summary>Returns a cell, or <c>null</c> if the table has no such row or column.</summary>
    public string? Find(string row, string column) =>
        Array.IndexOf(Columns, column) is > 0 and var at ? Rows.FirstOrDefault(cells => cells[0] == row)?[at] : null;

    /// <summary>Returns the table in Markdown, with a line break at its end.</summary>
    public override string ToString() =>
        $"{Line(Columns)}|{string.Join('|', Alignments)}|\n{string.Concat(Rows.Select(Line))}";

    private static string Line(string[] cells) => $"| {string.Join(" | ", cells)} |\n";
}
