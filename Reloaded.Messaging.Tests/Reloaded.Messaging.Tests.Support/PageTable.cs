using System.IO;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Reads the tables of a documentation page that is copied to the folder <c>docs</c> of the tests.</summary>
public sealed class PageTable(string page)
{
    private readonly string[] _lines = File.ReadAllLines(Path.Combine(AppContext.BaseDirectory, "docs", page));

    /// <summary>Returns the rows of the first table below a heading of the third level, without the head row. Backticks around a cell are removed.</summary>
    /// <exception cref="InvalidDataException">Thrown when the heading is missing, or when a row has another number of cells than the head row.</exception>
    public List<string[]> Rows(string heading)
    {
        var line = Array.FindIndex(_lines, text => text == "### " + heading);
        if (line < 0)
            throw new InvalidDataException($"docs/{page} has no heading '{heading}'.");

        line = Array.FindIndex(_lines, line, static text => text.StartsWith('|'));
        var columns = Cells(_lines[line]).Length;
        var rows = new List<string[]>();
        for (line += 2; line < _lines.Length && _lines[line].StartsWith('|'); line++)
        {
            var cells = Cells(_lines[line]);
            if (cells.Length != columns)
                throw new InvalidDataException($"A row below '{heading}' has {cells.Length} cells instead of {columns}: {_lines[line]}");
            rows.Add(cells);
        }

        return rows;
    }

    /// <summary>Returns the bytes of a cell.</summary>
    public static byte[] Bytes(string cell) => cell == "-" ? [] : Convert.FromHexString(cell.Replace(" ", "", StringComparison.Ordinal));

    private static string[] Cells(string row) => Array.ConvertAll(row.Trim().Trim('|').Split('|'), static cell => cell.Trim().Trim('`'));
}
