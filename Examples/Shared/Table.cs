using System;
using System.Collections.Generic;
using System.Linq;

namespace Examples;

/// <summary>Prints a table in plain text. The first column is left-aligned, the others are right-aligned. A table that is wider than the terminal breaks the names of its columns.</summary>
public sealed class Table(params string[] columns)
{
    private readonly List<string[]> _rows = [];

    public void Add(params string[] cells) => _rows.Add(cells);

    public void Print(string? title)
    {
        if (title is not null)
            Screen.WriteLine(title);
        foreach (var (line, isHead) in Lines(Console.IsOutputRedirected ? 80 : Console.WindowWidth))
            Screen.WriteLine(line, isHead ? Tone.Dim : Tone.Plain);
        Console.WriteLine();
    }

    /// <summary>Returns the lines of the table: the head, which ends with dashes, and the rows.</summary>
    /// <param name="width">The width above which the names of the columns are broken.</param>
    public IEnumerable<(string Line, bool IsHead)> Lines(int width)
    {
        var widths = columns.Select((column, i) => _rows.Select(row => row[i].Length).Append(column.Length).Max()).ToArray();
        var heads = Array.ConvertAll(columns, static column => new[] { column });
        if (widths.Sum() + (2 * (widths.Length - 1)) > width)
        {
            widths = [.. columns.Select((column, i) => _rows.Select(row => row[i].Length).Concat(column.Split(' ').Select(static word => word.Length)).Max())];
            heads = [.. columns.Select((column, i) => Break(column, widths[i]).ToArray())];
        }

        var height = heads.Max(static head => head.Length);
        for (var line = 0; line < height; line++)
            yield return (Row(Array.ConvertAll(heads, head => head.ElementAtOrDefault(line - height + head.Length) ?? ""), widths), true);
        yield return (Row(Array.ConvertAll(widths, static width => new string('-', width)), widths), true);
        foreach (var row in _rows)
            yield return (Row(row, widths), false);
    }

    private static IEnumerable<string> Break(string name, int width)
    {
        var line = "";
        foreach (var word in name.Split(' '))
        {
            if (line.Length > 0 && line.Length + 1 + word.Length > width)
            {
                yield return line;
                line = "";
            }

            line += line.Length > 0 ? $" {word}" : word;
        }

        yield return line;
    }

    private static string Row(string[] cells, int[] widths) =>
        string.Join("  ", cells.Select((cell, i) => i == 0 ? cell.PadRight(widths[i]) : cell.PadLeft(widths[i]))).TrimEnd();
}
