using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Reloaded.Messaging.Tool;

/// <summary>Prints rows in columns, which programs can split at spaces.</summary>
internal static class TextTable
{
    /// <param name="output">The writer.</param>
    /// <param name="rows">The header and the rows, all with the same number of cells.</param>
    public static void Print(TextWriter output, IReadOnlyList<string[]> rows)
    {
        var widths = rows[0].Select((_, column) => rows.Max(row => row[column].Length)).ToArray();
        foreach (var row in rows)
            output.WriteLine(string.Join("  ", row.Select((cell, column) => cell.PadRight(widths[column]))).TrimEnd());
    }
}
