using System;
using System.Collections.Generic;

namespace Examples;

/// <summary>Prints a table in plain text. The first column is left-aligned, the others are right-aligned.</summary>
public sealed class Table(params string[] columns)
{
    private readonly List<string[]> _rows = [];

    public void Add(params string[] cells) => _rows.Add(cells);

    public void Print(string? title)
    {
        var widths = Array.ConvertAll(columns, static column => column.Length);
        foreach (var row in _rows)
        {
            for (var i = 0; i < widths.Length; i++)
                widths[i] = Math.Max(widths[i], row[i].Length);
        }

        if (title is not null)
            Console.WriteLine(title);
        PrintRow(columns, widths);
        PrintRow(Array.ConvertAll(widths, static width => new string('-', width)), widths);
        foreach (var row in _rows)
            PrintRow(row, widths);
        Console.WriteLine();
    }

    private static void PrintRow(string[] cells, int[] widths)
    {
        var padded = new string[cells.Length];
        for (var i = 0; i < cells.Length; i++)
            padded[i] = i == 0 ? cells[i].PadRight(widths[i]) : cells[i].PadLeft(widths[i]);
        Console.WriteLine(string.Join("  ", padded).TrimEnd());
    }
}
