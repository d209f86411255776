using System.IO;
using System.Linq;
using Reloaded.Messaging.Benchmarks.Report;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The figures in docs/comparison.md and README.md are those of docs/benchmarks/README.md, which can be written again from its own values.</summary>
public sealed class MeasuredPagesTests
{
    private const string Start = "<!-- Written by `report peers`. -->\n";

    private static readonly string s_report = Read("docs/benchmarks/README.md");

    private static readonly List<ReportPart> s_parts = ReportPart.ReadAll(s_report);

    private static readonly string s_plots = Path.Combine(RepositoryFolder.FullName, "docs", "benchmarks", ReportPage.PlotFolder);

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
    public void Figures_of_readme_are_those_of_report()
    {
        var part = Read("README.md").Split("<!-- Written by `report core peers`. -->\n")[1].Split("<!-- End")[0];

        Assert.Equal(ReadmeTable.Draw(s_parts), part);
        Assert.Equal(5, part.Split('\n').Count(static line => line.StartsWith('|')) - 2);
        Assert.Contains("SignalR, MessagePack (TCP) " + Cell("100 in flight", "200 B", "SignalR, MessagePack (TCP)", "requests/s"), part, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("`pack.alloc`")]
    [InlineData("MemoryPack")]
    public void Figures_of_readme_without_their_row_in_report_throw(string row)
    {
        var error = Assert.Throws<InvalidDataException>(() => ReadmeTable.Draw(ReportPart.ReadAll(s_report.Replace($"| {row} |", "| ? |", StringComparison.Ordinal))));

        Assert.Contains(row, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Report_written_again_from_its_values_is_the_same()
    {
        var (text, plots) = ReportPage.Write(s_parts);

        Assert.Equal(s_report, text);
        Assert.Equal(plots.Keys.Order(StringComparer.Ordinal), Directory.EnumerateFiles(s_plots).Select(Path.GetFileName).Order(StringComparer.Ordinal));
        Assert.All(plots, static plot => Assert.Equal(plot.Value, File.ReadAllText(Path.Combine(s_plots, plot.Key)).ReplaceLineEndings("\n")));
    }

    [Fact]
    public void Report_begins_with_a_plot_and_folds_its_tables()
    {
        var shown = s_report.Split("<details>").Select(static (part, index) => index == 0 ? part : part.Split("</details>")[1]).ToList();

        Assert.Equal(s_parts.Count(static part => part.Figures is not null), shown.Count - 1);
        Assert.Contains("](plots/", shown[0].Split("\n| ")[0], StringComparison.Ordinal);
        Assert.Equal([2], shown.SelectMany(static part => part.Split('\n')).Where(static line => line.StartsWith('|')).Select(static line => line.Trim('|').Split('|').Length).Distinct());
        Assert.Equal(ReportPage.Write(s_parts).Plots.Count, shown.Sum(static part => part.Split("](plots/").Length - 1));
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
