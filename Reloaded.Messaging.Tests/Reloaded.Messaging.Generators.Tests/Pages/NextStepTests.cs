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
    public void Each_example_ends_with_a_page_and_a_program_that_exist_and_is_named_by_another()
    {
        const string First = "Examples/ModLoader"; // by the README
        string[] examples = [.. ExamplesIn("Examples"), .. ExamplesIn("Integrations/RabbitMQ/Examples"), "Clients/Dashboard"];

        Assert.InRange(examples.Length, 8, 20);
        var next = examples.Select(static folder =>
        {
            var line = Assert.Single(Directory.GetFiles(PathOf(folder), "*.cs", SearchOption.AllDirectories).SelectMany(static file => NextLine().Matches(File.ReadAllText(file))));
            Assert.True(File.Exists(PathOf(line.Groups[1].Value)), line.Value);
            Assert.Single(Directory.GetFiles(PathOf(line.Groups[2].Value), "*.csproj"));
            return line.Groups[2].Value;
        }).ToList();
        Assert.Empty(examples.Except(next).Except([First]));
    }

    [Fact]
    public void Each_template_has_a_readme_whose_pages_exist()
    {
        string[] templates = [.. TemplatesIn("Source/Reloaded.Messaging.Templates"), .. TemplatesIn("Integrations/ModLoaders/Source/Reloaded.Messaging.Templates.ModLoaders")];

        Assert.Equal(9, templates.Length);
        Assert.All(templates, static folder =>
        {
            var readme = File.ReadAllText(Path.Combine(folder, "README.md"));
            var name = Heading().Match(readme).Groups[1].Value; // dotnet new replaces it everywhere
            var pages = PageLink().Matches(readme);
            Assert.InRange(pages.Count, 2, 5);
            Assert.All(pages, page =>
            {
                Assert.DoesNotContain(name, page.Value, StringComparison.Ordinal);
                var text = File.ReadAllText(PathOf(page.Groups[1].Value));
                Assert.True(page.Groups[2].Length == 0 || Heading().Matches(text).Any(heading => AnchorOf(heading.Groups[1].Value) == page.Groups[2].Value), page.Value);
            });
        });
    }

    private static string PathOf(string path) => Path.Combine(RepositoryFolder.FullName, path);

    private static IEnumerable<string> ExamplesIn(string folder) =>
        from example in Directory.GetDirectories(PathOf(folder)) where Directory.GetFiles(example, "*.csproj").Length > 0 select $"{folder}/{Path.GetFileName(example)}";

    private static string[] TemplatesIn(string package) => Directory.GetDirectories(PathOf($"{package}/content"));

    private static string AnchorOf(string heading) => string.Concat(heading.ToLowerInvariant().Where(static one => char.IsLetterOrDigit(one) || one is ' ' or '-')).Replace(' ', '-');

    [GeneratedRegex(@"""Next: (\S+\.md), or dotnet run -c Release --project (\S+)""")]
    private static partial Regex NextLine();

    [GeneratedRegex(@"/blob/HEAD/([^)#]+)(?:#([^)]+))?")]
    private static partial Regex PageLink();

    [GeneratedRegex("^#+ (.*?)\r?$", RegexOptions.Multiline)]
    private static partial Regex Heading();
}
