using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>The folders of a project depend on each other in one direction.</summary>
public sealed class FolderDirectionTests(ITestOutputHelper output)
{
    /// <summary>The projects that are held to it. A further project is one line.</summary>
    public static TheoryData<SourceProject> Projects =>
    [
        new SourceProject("Reloaded.Messaging"),
        new SourceProject("Reloaded.Messaging.Compression.LZ4", "Reloaded.Messaging", "K4os.Compression.LZ4"),
        new SourceProject(
            "Reloaded.Messaging.Extensions.Hosting",
            "Reloaded.Messaging",
            "Reloaded.Messaging.Transports",
            "Reloaded.Messaging.Hosting",
            "Microsoft.Extensions.Configuration.Abstractions",
            "Microsoft.Extensions.DependencyInjection.Abstractions",
            "Microsoft.Extensions.Diagnostics.HealthChecks",
            "Microsoft.Extensions.Diagnostics.HealthChecks.Abstractions",
            "Microsoft.Extensions.Hosting.Abstractions",
            "Microsoft.Extensions.Logging.Abstractions",
            "Microsoft.Extensions.Options",
            "Microsoft.Extensions.Primitives"),
        new SourceProject("Reloaded.Messaging.Games", "Reloaded.Messaging", "Reloaded.Messaging.Transports", "Reloaded.Messaging.Hosting"),
        new SourceProject("Reloaded.Messaging.Generators", "Microsoft.CodeAnalysis", "Microsoft.CodeAnalysis.CSharp"),
        new SourceProject("Reloaded.Messaging.Generators.CodeFixes", "Microsoft.CodeAnalysis", "Microsoft.CodeAnalysis.CSharp", "Microsoft.CodeAnalysis.Workspaces", "System.Composition.AttributedModel"),
        new SourceProject("Reloaded.Messaging.Hosting", "Reloaded.Messaging", "Reloaded.Messaging.Transports"),
        new SourceProject("Reloaded.Messaging.RecyclableStreams", "Reloaded.Messaging", "Microsoft.IO.RecyclableMemoryStream"),
        new SourceProject("Reloaded.Messaging.Serialization.Protobuf", "Reloaded.Messaging", "Google.Protobuf"),
        new SourceProject(
            "Reloaded.Messaging.Tool",
            "Reloaded.Messaging",
            "Reloaded.Messaging.Transports",
            "Reloaded.Messaging.Hosting",
            "Reloaded.Messaging.Compression.LZ4",
            "K4os.Compression.LZ4",
            "Spectre.Console",
            "Spectre.Console.Ansi",
            "System.CommandLine"),
        new SourceProject("Reloaded.Messaging.Transports", "Reloaded.Messaging"),
        new SourceProject("Reloaded.Messaging.Transports.LiteNetLib", "Reloaded.Messaging", "Reloaded.Messaging.Transports", "Reloaded.Messaging.Hosting", "LiteNetLib"),
    ];

    public static IEnumerable<TheoryDataRow<SourceProject>> ProjectsOfExtent => Extent.Of(Projects, first: 3);

    [Theory]
    [MemberData(nameof(ProjectsOfExtent), DisableDiscoveryEnumeration = true)]
    public void Folders_of_project_form_no_circle(SourceProject project) => FolderAssert.HasNoCircle(project, output);

    [Fact]
    public void Circle_is_described_with_files_and_names()
    {
        var graph = GraphOf(
            ("A/First.cs", "namespace P { class First { Second S = new(); } }"),
            ("B/Second.cs", "namespace P { class Second { void Run() => Third.Start(); } }"),
            ("C/Third.cs", "namespace P { static class Third { public static void Start() { _ = nameof(First); } } }"),
            ("Top.cs", "namespace P { /// <see cref=\"First\"/>\n class Top { } class Bottom : Top { } }"));

        Assert.Equal("(root) -> \nA -> B\nB -> C\nC -> A\n", graph.ToString());
        Assert.Equal(
            "A -> B\n    A/First.cs -> B/Second.cs: Second\nB -> C\n    B/Second.cs -> C/Third.cs: Start, Third\nC -> A\n    C/Third.cs -> A/First.cs: First\n",
            graph.Describe(graph.FindCircle()));
    }

    [Fact]
    public void Members_extensions_and_inferred_types_count_as_references()
    {
        var graph = GraphOf(
            ("A/Item.cs", "namespace P { class Item { public Part Make() => new(); } }"),
            ("B/Part.cs", "namespace P { class Part { public int Size; } }"),
            ("C/Extensions.cs", "namespace P { static class Extensions { public static int Twice(this int value) => 2 * value; } }"),
            ("D/User.cs", "namespace P { class User { int Run(Item item) { var part = item.Make(); return part.Size.Twice(); } } }"));

        Assert.Equal("A -> B\nB -> \nC -> \nD -> A, B, C\n", graph.ToString());
        Assert.Empty(graph.FindCircle());
    }

    [Fact]
    public void Public_root_counts_internal_types_only()
    {
        (string, string)[] files =
        [
            ("A/Part.cs", "namespace P { class Part { void Run(Api api) => api.Start(); } }"),
            ("B/Tool.cs", "namespace P { class Tool { Helper H = new(); } }"),
            ("Api.cs", "namespace P { public class Api { Part P = new(); Tool T = new(); internal void Start() { } } }"),
            ("Helper.cs", "namespace P { class Helper { } }"),
        ];

        Assert.Equal("(root) -> A, B\nA -> (root)\nB -> (root)\n", GraphOf(files).ToString());
        var graph = GraphOf(hasPublicRoot: true, files);

        Assert.Equal("(root) -> A, B\nA -> \nB -> (root)\n", graph.ToString());
        Assert.Equal(["(root)", "B"], graph.FindCircle().Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Public_root_has_no_file_with_internal_types_only()
    {
        foreach (var project in Projects.Select(static row => row.Data).Where(static project => project.HasPublicRoot))
        {
            var compilation = project.Compile();
            var isPublic = compilation.SyntaxTrees
                .Where(static tree => tree.FilePath.Length > 0 && !tree.FilePath.Contains('/', StringComparison.Ordinal))
                .ToDictionary(static tree => tree.FilePath, tree => DeclaresPublicType(compilation.GetSemanticModel(tree)), StringComparer.Ordinal);

            Assert.NotEmpty(isPublic);
            Assert.All(isPublic, file => Assert.True(file.Value, $"{file.Key} of {project.Name} declares no public type. Move it into a folder."));
        }
    }

    private static bool DeclaresPublicType(SemanticModel model) => model.SyntaxTree.GetRoot().DescendantNodes()
        .Any(node => model.GetDeclaredSymbol(node) is INamedTypeSymbol { DeclaredAccessibility: Accessibility.Public });

    private static FolderGraph GraphOf(params (string Path, string Text)[] files) => GraphOf(hasPublicRoot: false, files);

    private static FolderGraph GraphOf(bool hasPublicRoot, params (string Path, string Text)[] files) => FolderGraph.Of(
        CSharpCompilation.Create("P", files.Select(static file => CSharpSyntaxTree.ParseText(file.Text, path: file.Path)), AnalyzerRunner.References),
        hasPublicRoot);
}
