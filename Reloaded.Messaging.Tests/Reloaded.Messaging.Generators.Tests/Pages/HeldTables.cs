using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Tests.Structure;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The tables whose last column names the tests of each row.</summary>
internal static partial class HeldTables
{
    /// <summary>Reads a page.</summary>
    /// <param name="page">The path in the repository.</param>
    public static string Read(string page) => File.ReadAllText(Path.Combine(SourceProject.Repository, page)).ReplaceLineEndings("\n");

    /// <summary>Fails if a row names no test that exists, and no reason.</summary>
    /// <param name="page">The path in the repository.</param>
    /// <param name="least">The number of rows that the page has at least.</param>
    public static void Check(string page, int least)
    {
        var rows = RowsOf(Read(page)).ToList();

        Assert.True(rows.Count >= least, $"{page} has {rows.Count} rows.");
        Assert.All(rows, row =>
        {
            var cell = row.TrimEnd('|', ' ').Split(" | ")[^1];
            var names = TestName().Matches(cell).Select(static match => match.Groups[1].Value).ToList();
            Assert.True(names.Count > 0 || cell.StartsWith("None: ", StringComparison.Ordinal), $"The row names no test and no reason: {row}");
            Assert.All(names, name => Assert.True(TestCatalog.HasMethod(name), $"{page} names {name}, which is no test."));
        });
    }

    /// <summary>Fails if the page lacks a name for which a file of a folder has a literal.</summary>
    /// <param name="page">The path in the repository.</param>
    /// <param name="folder">A folder with sources, as a path in the repository that ends with a slash.</param>
    /// <param name="pattern">The literal: its first group is the name.</param>
    /// <param name="least">The number of names that the sources have at least.</param>
    public static void CheckNames(string page, string folder, string pattern, int least)
    {
        var onPage = Regex.Matches(Read(page), "`([^`]+)`").Select(static match => match.Groups[1].Value).ToHashSet();
        var names = SourceProject.FilesIn("").Where(file => !file.Path.Contains("/content/", StringComparison.Ordinal) && file.File.StartsWith(Path.Combine(SourceProject.Repository, folder), StringComparison.Ordinal))
            .SelectMany(file => Regex.Matches(File.ReadAllText(file.File), pattern))
            .Select(static match => match.Groups[1].Value).Distinct().ToList();

        Assert.True(names.Count >= least, $"The sources have {names.Count} names by {pattern}.");
        Assert.All(names, name => Assert.True(onPage.Any(on => on == name || on == $"{name}.g.cs" || (name[0] == '.' && on.EndsWith(name, StringComparison.Ordinal))), $"{page} lacks `{name}`."));
    }

    private static IEnumerable<string> RowsOf(string page)
    {
        var isTable = false;
        foreach (var line in page.Split('\n'))
        {
            if (isTable && line.StartsWith('|') && !line.StartsWith("|-", StringComparison.Ordinal))
                yield return line;
            isTable = line.StartsWith('|') && (isTable || line.EndsWith("| test |", StringComparison.Ordinal));
        }
    }

    [GeneratedRegex("`([A-Z][A-Za-z0-9]*(?:_[A-Za-z0-9]+){2,})`")]
    private static partial Regex TestName();
}
