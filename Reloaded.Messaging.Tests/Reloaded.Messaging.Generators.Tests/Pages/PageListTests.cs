using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>docs/README.md lists all pages of the library, and those of each neighbour or its README, which lists them.</summary>
public sealed partial class PageListTests
{
    private static readonly string s_list = Path.Combine(RepositoryFolder.FullName, "docs", "README.md");

    [Fact]
    public void Each_page_is_listed()
    {
        var listed = LinksOf(s_list).Where(File.Exists).ToHashSet();
        listed.UnionWith(listed.Where(static page => Path.GetFileName(page) == "README.md").SelectMany(LinksOf).ToList());

        var pages = RepositoryFolder.Pages.SelectMany(static folder => Directory.EnumerateFiles(folder, "*.md", SearchOption.AllDirectories)).ToList();
        Assert.InRange(pages.Count, 30, 100);
        Assert.DoesNotContain(pages, page => page != s_list && !listed.Contains(page));
    }

    [Fact]
    public void Readme_of_the_repository_has_twelve_pages_and_the_list()
    {
        var readme = Path.Combine(RepositoryFolder.FullName, "README.md");
        var rows = File.ReadAllText(readme).Split("\n## Documentation\n")[1].Split('\n').Count(static line => line.StartsWith("| ", StringComparison.Ordinal));

        Assert.Equal(12 + 1, rows);
        Assert.Contains(s_list, LinksOf(readme));
    }

    private static IEnumerable<string> LinksOf(string page) =>
        Link().Matches(File.ReadAllText(page)).Select(link => Path.GetFullPath(Path.Combine(Path.GetDirectoryName(page)!, link.Groups[1].Value)));

    [GeneratedRegex(@"\]\(([^)#:]+)(?:#[^)]*)?\)")]
    private static partial Regex Link();
}
