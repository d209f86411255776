using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Structure;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The tables whose last column names the tests of each row.</summary>
public sealed partial class HeldTablesTests
{
    [Theory]
    [InlineData("security.md", 10)]
    [InlineData("internals/names.md", 15)]
    [InlineData("internals/bounds.md", 30)]
    [InlineData("internals/ambient.md", 6)]
    public void Each_row_names_tests_that_exist_or_a_reason(string page, int rows)
    {
        var table = Read(page).Split('\n').SkipWhile(static line => !line.EndsWith("| test |", StringComparison.Ordinal)).Skip(2).TakeWhile(static line => line.StartsWith('|')).ToList();

        Assert.True(table.Count >= rows, $"{page} has {table.Count} rows.");
        Assert.All(table, row =>
        {
            var cell = row.TrimEnd('|', ' ').Split(" | ")[^1];
            var names = TestName().Matches(cell).Select(static match => match.Groups[1].Value).ToList();
            Assert.True(names.Count > 0 || cell.StartsWith("None: ", StringComparison.Ordinal), $"The row names no test and no reason: {row}");
            Assert.All(names, name => Assert.True(TestCatalog.HasMethod(name), $"{page} names {name}, which is no test."));
        });
    }

    [Fact]
    public void Bounds_name_each_limit_of_a_host()
    {
        var page = Read("internals/bounds.md");

        Assert.All(
            typeof(HostLimits).GetProperties(BindingFlags.Instance | BindingFlags.Public | BindingFlags.DeclaredOnly),
            limit => Assert.Contains($"`{limit.Name}`", page, StringComparison.Ordinal));
    }

    internal static string Read(string page) => File.ReadAllText(Path.Combine(SourceProject.Repository, "docs", page)).ReplaceLineEndings("\n");

    [GeneratedRegex("`([A-Z][A-Za-z0-9]*(?:_[A-Za-z0-9]+){2,})`")]
    private static partial Regex TestName();
}
