using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>docs/internals/architecture.svg shows the folders as they are. Set RELOADED_MESSAGING_APPROVE=1 to draw the picture again.</summary>
public sealed class ArchitecturePictureTests
{
    private static readonly (SourceProject Project, string Note)[] s_projects =
    [
        (new("Reloaded.Messaging.Games", "Reloaded.Messaging", "Reloaded.Messaging.Transports", "Reloaded.Messaging.Hosting"), "for game servers"),
        (new("Reloaded.Messaging.Hosting", "Reloaded.Messaging", "Reloaded.Messaging.Transports"), "messages between peers"),
        (new("Reloaded.Messaging.Transports", "Reloaded.Messaging"), "bytes between processes and machines"),
        (new("Reloaded.Messaging"), "packing and dispatching, without I/O"),
    ];

    [Fact]
    public void Picture_shows_the_folders_of_the_projects()
    {
        var drawn = ArchitecturePicture.Draw(Array.ConvertAll(s_projects, static shown => (shown.Project.Name, shown.Note, shown.Project.GetFolders())));
        var file = Path.Combine(SourceProject.Repository, "docs", "internals", "architecture.svg");
        if (Environment.GetEnvironmentVariable("RELOADED_MESSAGING_APPROVE") == "1")
            File.WriteAllText(file, drawn);

        Assert.True(drawn == File.ReadAllText(file).ReplaceLineEndings("\n"), "docs/internals/architecture.svg is out of date. Run this test with RELOADED_MESSAGING_APPROVE=1 to draw it again.");
    }

    [Fact]
    public void Files_that_the_page_names_exist()
    {
        var folder = Path.Combine(SourceProject.Repository, "docs", "internals");
        var page = File.ReadAllText(Path.Combine(folder, "architecture.md"));

        var named = page.Split("](").Skip(1).Select(static link => link[..link.IndexOf(')', StringComparison.Ordinal)]).ToList();

        Assert.InRange(named.Count, 30, 150);
        Assert.All(named, file => Assert.True(File.Exists(Path.Combine(folder, file)), $"docs/internals/architecture.md names {file}, which does not exist."));
    }

    [Fact]
    public void Lines_point_down_and_leave_out_what_follows_from_others()
    {
        var graph = FolderGraph.Of(CSharpCompilation.Create(
            "P",
            [
                CSharpSyntaxTree.ParseText("namespace P { class First { Second S = new(); Third T = new(); } }", path: "A/First.cs"),
                CSharpSyntaxTree.ParseText("namespace P { class Second { Third T = new(); } }", path: "B/Second.cs"),
                CSharpSyntaxTree.ParseText("namespace P { class Third { } }", path: "C/Third.cs"),
            ],
            AnalyzerRunner.References));

        var drawn = ArchitecturePicture.Draw([("P", "note", graph)]);

        Assert.Equal(2, drawn.Split("class=\"line\"").Length - 1);
        Assert.True(drawn.IndexOf(">A<", StringComparison.Ordinal) > 0);
        Assert.Contains("<rect class=\"folder\" x=\"524\" y=\"80\"", drawn, StringComparison.Ordinal);
        Assert.Contains("<rect class=\"folder\" x=\"524\" y=\"144\"", drawn, StringComparison.Ordinal);
        Assert.Contains("<rect class=\"folder\" x=\"524\" y=\"208\"", drawn, StringComparison.Ordinal);
    }
}
