using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>Each example and each template names the next page, and each example the next program.</summary>
public sealed partial class NextStepTests
{
    [Fact]
    public void Each_example_ends_with_a_page_and_a_program_that_exist()
    {
        var examples = Directory.GetDirectories(Path.Combine(RepositoryFolder.FullName, "Examples")).Where(static folder => Directory.GetFiles(folder, "*.csproj").Length > 0).ToList();

        Assert.InRange(examples.Count, 5, 20);
        Assert.All(examples, static folder =>
        {
            var line = Assert.Single(Directory.GetFiles(folder, "*.cs", SearchOption.AllDirectories).SelectMany(static file => NextLine().Matches(File.ReadAllText(file))));
            Assert.True(File.Exists(Path.Combine(RepositoryFolder.FullName, line.Groups[1].Value)), line.Value);
            Assert.Single(Directory.GetFiles(Path.Combine(RepositoryFolder.FullName, line.Groups[2].Value), "*.csproj"));
        });
    }

    [Fact]
    public void Each_template_has_a_readme_whose_pages_exist()
    {
        var templates = Directory.GetDirectories(Path.Combine(RepositoryFolder.FullName, "Source", "Reloaded.Messaging.Templates", "content"));

        Assert.Equal(4, templates.Length);
        Assert.All(templates, static folder =>
        {
            var pages = PageLink().Matches(File.ReadAllText(Path.Combine(folder, "README.md")));
            Assert.InRange(pages.Count, 2, 5);
            Assert.All(pages, static page => Assert.True(File.Exists(Path.Combine(RepositoryFolder.FullName, page.Groups[1].Value)), page.Value));
        });
    }

    [GeneratedRegex(@"""Next: (\S+\.md), or dotnet run -c Release --project (\S+)""")]
    private static partial Regex NextLine();

    [GeneratedRegex(@"/blob/HEAD/([^)#]+)")]
    private static partial Regex PageLink();
}
