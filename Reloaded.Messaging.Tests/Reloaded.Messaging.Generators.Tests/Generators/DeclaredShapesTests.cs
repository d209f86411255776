using System.Linq;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Generators.Parsing;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>Each message and service that is valid C# is refused by a diagnostic of the library, or has generated code that compiles.</summary>
public sealed partial class DeclaredShapesTests
{
    private const string Usings = "using System.Threading; using System.Threading.Tasks; using Reloaded.Messaging.Hosting; using Reloaded.Messaging.Extensions.Hosting;" + Sources.Usings;

    private static readonly MetadataReference s_worker = MetadataReference.CreateFromFile(typeof(MessageHostBuilder).Assembly.Location);

    [Fact]
    public Task Types_of_each_kind_compile_or_are_refused() => ExpectAsync(DeclaredShapes.Types, 400);

    [Fact]
    public Task Members_of_each_type_compile_or_are_refused() => ExpectAsync(DeclaredShapes.Members, 300);

    [Fact]
    public Task Names_of_each_kind_compile_or_are_refused() => ExpectAsync(DeclaredShapes.Named, 250);

    [Fact]
    public Task Services_of_each_form_compile_or_are_refused() => ExpectAsync(DeclaredShapes.Services, 150);

    [Fact]
    public Task Messages_of_each_form_compile_or_are_refused() => ExpectAsync(DeclaredShapes.Messages, 100);

    [Fact]
    public Task Handler_classes_of_each_form_compile() => ExpectAsync(DeclaredShapes.Handlers, 100);

    /// <summary>Compiles all shapes at once, each in a file of its own.</summary>
    private static async Task ExpectAsync(IEnumerable<string> shapes, int atLeast)
    {
        var options = new CSharpParseOptions(LanguageVersion.Preview);
        var trees = shapes.Select((shape, i) => CSharpSyntaxTree.ParseText(Usings + shape.Replace("#", $"{i}", StringComparison.Ordinal), options, $"{i}.cs")).ToList();
        var compilation = GeneratorRunner.Create("", LanguageVersion.Preview, "Shapes", s_worker)
            .RemoveAllSyntaxTrees()
            .AddSyntaxTrees(trees)
            .AddSyntaxTrees(CSharpSyntaxTree.ParseText(Usings + DeclaredShapes.Others, options, "others.cs"));
        compilation = compilation.RemoveSyntaxTrees(Errors(compilation).Select(static error => error.Location.SourceTree!).Distinct());
        Assert.InRange(compilation.SyntaxTrees.Length, atLeast, trees.Count + 1);
        Assert.Empty(Errors(compilation));

        GeneratorRunner.Driver(LanguageVersion.Preview).RunGeneratorsAndUpdateCompilation(compilation, out var output, out var reported, TestContext.Current.CancellationToken);
        Assert.Empty(reported);
        var found = await compilation.WithAnalyzers([new MessageContractAnalyzer()]).GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken);
        var refused = found.Where(static one => one.Severity == DiagnosticSeverity.Error).Select(static one => one.Location.SourceTree!.FilePath).ToHashSet();

        Assert.DoesNotContain(Errors(output), error => !refused.Contains(ShapeOf(error.Location.SourceTree!)));
        Assert.DoesNotContain(Missing(compilation, output), type => !refused.Contains(type.Locations[0].SourceTree!.FilePath));
    }

    private static IEnumerable<Diagnostic> Errors(Compilation compilation) => compilation.GetDiagnostics().Where(static one => one.Severity == DiagnosticSeverity.Error);

    /// <summary>The file of the shape that a generated file is made from.</summary>
    private static string ShapeOf(SyntaxTree tree) => Number().Match(tree.FilePath) is { Success: true } match ? $"{match.Groups[1].Value}.cs" : tree.FilePath;

    /// <summary>Returns the messages and services without generated code.</summary>
    private static IEnumerable<INamedTypeSymbol> Missing(Compilation compilation, Compilation output)
    {
        foreach (var tree in compilation.SyntaxTrees)
        {
            var model = compilation.GetSemanticModel(tree);
            foreach (var declaration in tree.GetRoot().DescendantNodes().OfType<TypeDeclarationSyntax>())
            {
                var type = model.GetDeclaredSymbol(declaration)!;
                var name = Names.Has(type, Names.Message) && !GenericMessages.IsOpen(type) ? Names.Serializer(type) : Names.Has(type, Names.Service) ? ServiceMessages.ClassOf(type) : null;
                if (name is not null && output.GetTypeByMetadataName($"{Names.Generated}.{name}") is null)
                    yield return type;
            }
        }
    }

    [GeneratedRegex(@"[\\/][^\\/\d]*(\d+)[^\\/]*$")]
    private static partial Regex Number();
}
