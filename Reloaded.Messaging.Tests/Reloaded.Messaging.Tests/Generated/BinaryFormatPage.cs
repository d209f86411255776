using System;
using System.Collections.Generic;
using System.IO;

namespace Reloaded.Messaging.Tests.Generated;

/// <summary>The tables of docs/binary-format.md.</summary>
internal static class BinaryFormatPage
{
    private static readonly string[] s_lines = File.ReadAllLines(Path.Combine(AppContext.BaseDirectory, "docs", "binary-format.md"));

    /// <summary>The rows of the first table below a heading, without its head, each cell without its backticks.</summary>
    public static List<string[]> Table(string heading)
    {
        var line = Array.FindIndex(s_lines, text => text == "### " + heading);
        if (line < 0)
            throw new InvalidDataException($"docs/binary-format.md has no heading '{heading}'.");

        line = Array.FindIndex(s_lines, line, static text => text.StartsWith('|'));
        var rows = new List<string[]>();
        for (line += 2; line < s_lines.Length && s_lines[line].StartsWith('|'); line++)
            rows.Add(Array.ConvertAll(s_lines[line].Trim().Trim('|').Split('|'), static cell => cell.Trim().Trim('`')));
        return rows;
    }

    /// <summary>A cell of bytes.</summary>
    public static byte[] Bytes(string cell) => cell == "-" ? [] : Convert.FromHexString(cell.Replace(" ", "", StringComparison.Ordinal));
}
