using System.IO;
using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The page of Examples/ModLoader, compared with the example.</summary>
public sealed class ModLoaderExampleTests
{
    [Fact]
    public void The_examples_page_shows_all_of_its_messaging_and_counts_it()
    {
        var files = Directory.GetFiles(Page.PathOf("ModLoader"), "*.cs.txt").Select(Page.ReadCode).ToList();
        var shown = Page.ReadShown("ModLoader/README.md");
        var code = files.SelectMany(static file => file).ToHashSet();
        code.RemoveWhere(static line => line.StartsWith("using Reloaded.", StringComparison.Ordinal) || line.StartsWith("using System", StringComparison.Ordinal) ||
            line.StartsWith("using ModLoader.", StringComparison.Ordinal) || line.StartsWith("namespace ", StringComparison.Ordinal));

        Assert.True(files.Count > 5);
        Assert.Empty(shown.Except(code));
        Assert.Empty(code.Except(shown));
        Assert.Contains($"**{files.Sum(static file => file.Count)} lines**", File.ReadAllText(Page.PathOf("ModLoader/README.md")), StringComparison.Ordinal);
    }
}
