using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Tests.Structure;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>docs/internals/names.md has each name for which the sources have a literal.</summary>
public sealed class NamesPageTests
{
    private static readonly HashSet<string> s_onPage = [.. Regex.Matches(HeldTablesTests.Read("internals/names.md"), "`([^`]+)`").Select(static match => match.Groups[1].Value)];

    [Theory]
    [InlineData(@"GetEnvironmentVariable\(""(\w+)""", 2)]
    [InlineData(@"const string \w*(?:Extension|Ending) = ""(\.\w+)""", 2)]
    [InlineData(@"path \+ ""(\.\w+)""", 1)]
    [InlineData(@"AddSource\(""(\w+)\.g\.cs""", 3)]
    [InlineData(@"const string (?:Generated|Declaration|MeterName|SourceName|PoisonSwitch) = ""([\w.]+)""", 4)]
    [InlineData(@"\$""\{_?scope\}\.([a-z-]+)", 10)]
    [InlineData(@"""(reloaded-messaging)""", 1)]
    public void Literal_of_the_sources_is_on_the_page(string pattern, int most)
    {
        var names = SourceProject.FilesIn("").Where(static file => !file.Path.Contains("/content/", StringComparison.Ordinal))
            .SelectMany(file => Regex.Matches(File.ReadAllText(file.File), pattern))
            .Select(static match => match.Groups[1].Value).Distinct().ToList();

        Assert.True(names.Count >= most, $"The sources have {names.Count} names by {pattern}.");
        Assert.All(names, static name => Assert.True(s_onPage.Any(on => on == name || on == $"{name}.g.cs" || (name[0] == '.' && on.EndsWith(name, StringComparison.Ordinal))), $"docs/internals/names.md lacks `{name}`."));
    }
}
