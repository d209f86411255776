using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Benchmarks.Report;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The figures about other libraries in docs/comparison.md and README.md are those of docs/benchmarks/README.md.</summary>
public sealed class MeasuredPagesTests
{
    private const string Start = "<!-- Written by `report peers`. -->\n";

    private static readonly string s_report = Read("docs/benchmarks/README.md");

    [Fact]
    public void Cells_of_comparison_are_those_of_report()
    {
        var (libraries, rows) = ReadTable(Read("docs/comparison.md").Split(Start)[1]);

        Assert.InRange(libraries.Count, 6, 12);
        Assert.Equal(6, rows.Count);
        Assert.All(rows, row =>
        {
            // A name is "requests/s of 16 B, 100 in flight": the figure, the size and the load.
            var (what, load) = (row.Key[..row.Key.IndexOf(',')], row.Key[(row.Key.IndexOf(',') + 2)..]);
            var size = string.Join(' ', what.Split(' ')[^2..]);
            Assert.Equal(libraries.Select(library => Cell(load, size, library, what.Split(' ')[0])), row.Value.Select(static cell => cell.Split(' ')[0]));
        });
    }

    [Fact]
    public void Table_of_readme_has_values_of_report()
    {
        var table = Read("README.md").Split("<!-- Written by `report core peers`. -->\n")[1].Split("<!-- End")[0];

        Assert.Equal(ReadmeTable.Draw(s_report), table);
        Assert.Equal(8, table.Split('\n').Count(static line => line.StartsWith('|')) - 2);
    }

    [Theory]
    [InlineData("`pack.alloc`")]
    [InlineData("gRPC (Unix socket)")]
    public void Table_of_readme_without_its_row_in_report_throws(string row)
    {
        var error = Assert.Throws<InvalidDataException>(() => ReadmeTable.Draw(s_report.Replace($"| {row} |", "| ? |", StringComparison.Ordinal)));

        Assert.Contains(row, error.Message, StringComparison.Ordinal);
    }

    /// <summary>Returns a cell of the report.</summary>
    /// <param name="load">The number of requests in flight, in words.</param>
    /// <param name="size">The size of a request.</param>
    /// <param name="library">The name of the row.</param>
    /// <param name="figure">The first word of the name of the column.</param>
    private static string Cell(string load, string size, string library, string figure)
    {
        var (columns, rows) = ReadTable(s_report.Split($"### {char.ToUpperInvariant(load[0])}{load[1..]}, {size}\n")[1]);
        return rows[library][columns.FindIndex(column => column.Split(' ', ',')[0] == figure)];
    }

    /// <summary>Returns the names of the columns and the rows of the first table of a text. The first column has the names of the rows.</summary>
    private static (List<string> Columns, Dictionary<string, string[]> Rows) ReadTable(string text)
    {
        var lines = text.Split('\n').SkipWhile(static line => !line.StartsWith('|')).TakeWhile(static line => line.StartsWith('|'))
            .Select(static line => Array.ConvertAll(line.Trim('|').Split('|'), static cell => cell.Trim()))
            .ToList();
        return ([.. lines[0].Skip(1)], lines.Skip(2).ToDictionary(static cells => cells[0], static cells => cells[1..]));
    }

    private static string Read(string path) => File.ReadAllText(Path.Combine(RepositoryFolder.FullName, path)).ReplaceLineEndings("\n");
}
