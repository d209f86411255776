using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The links between the files of the repository.</summary>
public sealed partial class LinkTests
{
    [Fact]
    public void Relative_links_of_markdown_files_lead_to_files_or_folders()
    {
        var links = (
            from file in Directory.EnumerateFiles(RepositoryFolder.FullName, "*.md", SearchOption.AllDirectories)
            where !Path.GetRelativePath(RepositoryFolder.FullName, file).Split(Path.DirectorySeparatorChar).Any(static part => part is "bin" or "obj" or "artifacts" or "node_modules")
            from link in RelativeLink().Matches(CodeBlock().Replace(File.ReadAllText(file), ""))
            select (File: file, Path: link.Groups[1].Value)).ToList();

        Assert.InRange(links.Count, 500, 5000);
        Assert.Empty(
            from link in links
            where !Path.Exists(Path.Combine(Path.GetDirectoryName(link.File)!, link.Path))
            select $"{Path.GetRelativePath(RepositoryFolder.FullName, link.File)} links to {link.Path}, which does not exist.");
    }

    [GeneratedRegex(@"\]\((?!\w+:)([^)#\s]+)(?:#[^)\s]*)?\)")]
    private static partial Regex RelativeLink();

    [GeneratedRegex("^```.*?^```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex CodeBlock();
}
