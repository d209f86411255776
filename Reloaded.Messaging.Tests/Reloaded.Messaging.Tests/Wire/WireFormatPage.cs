using System;
using System.Collections.Generic;
using System.IO;

namespace Reloaded.Messaging.Tests.Wire;

/// <summary>The tables of docs/wire-format.md.</summary>
internal static class WireFormatPage
{
    private static readonly string[] s_lines = File.ReadAllLines(Path.Combine(AppContext.BaseDirectory, "docs", "wire-format.md"));

    /// <summary>The rows of the table below a heading, without its head, each cell without its backticks.</summary>
    public static List<string[]> Table(string heading)
    {
        var line = Array.FindIndex(s_lines, text => text == "### " + heading);
        if (line < 0)
            throw new InvalidDataException($"docs/wire-format.md has no heading '{heading}'.");

        while (!s_lines[line].StartsWith('|'))
            line++;

        var columns = Cells(s_lines[line]).Length;
        var rows = new List<string[]>();
        for (line += 2; line < s_lines.Length && s_lines[line].StartsWith('|'); line++)
        {
            var cells = Cells(s_lines[line]);
            if (cells.Length != columns)
                throw new InvalidDataException($"A row below '{heading}' has {cells.Length} cells instead of {columns}: {s_lines[line]}");
            rows.Add(cells);
        }

        return rows;
    }

    /// <summary>A cell of bytes.</summary>
    public static byte[] Bytes(string cell) => cell == "-" ? [] : Convert.FromHexString(cell.Replace(" ", "", StringComparison.Ordinal));

    private static string[] Cells(string row)
    {
        var cells = row.Trim().Trim('|').Split('|');
        return Array.ConvertAll(cells, static cell => cell.Trim().Trim('`'));
    }
}
