using System;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Tests.Structure;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>Each protection on the page of security names tests that exist.</summary>
public sealed partial class SecurityPageTests
{
    [Fact]
    public void Tests_that_the_page_names_exist()
    {
        var page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Pages", "security.md"));
        var named = TestName().Matches(page).Select(static match => match.Groups[1].Value).Distinct().ToList();
        var code = string.Concat(Directory
            .EnumerateFiles(Path.Combine(SourceProject.Repository, "Reloaded.Messaging.Tests"), "*Tests*.cs", SearchOption.AllDirectories)
            .Select(File.ReadAllText));

        Assert.InRange(named.Count, 20, 100);
        Assert.All(named, name => Assert.Contains($" {name}(", code, StringComparison.Ordinal));
    }

    [GeneratedRegex("`([A-Z][A-Za-z0-9]*(?:_[A-Za-z0-9]+){3,})`")]
    private static partial Regex TestName();
}
