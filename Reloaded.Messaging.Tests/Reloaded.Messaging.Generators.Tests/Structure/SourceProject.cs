using System;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Generators;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>A project of this repository, compiled from its sources as for net10.0.</summary>
/// <param name="Name">The name of the project and of its folder in <c>Source</c>.</param>
/// <param name="References">The names of the libraries that the project refers to. The test project refers to each.</param>
public sealed record SourceProject(string Name, params string[] References)
{
    /// <summary>The folder of the repository, in which the tests were built. The compiler's paths do not name it in a deterministic build.</summary>
    internal static string Repository { get; } = FindRepository();

    /// <summary>Compiles the project's sources and fails on an error: a name that is not found would be missing in the graph.</summary>
    internal Compilation Compile()
    {
        var folder = Path.Combine(Repository, "Source", Name);
        var options = new CSharpParseOptions(LanguageVersion.Preview);
        var trees = Directory.GetFiles(folder, "*.cs", SearchOption.AllDirectories)
            .Select(file => (Path: Path.GetRelativePath(folder, file).Replace('\\', '/'), Text: File.ReadAllText(file)))
            .Where(static file => !IsLeftOut(file.Path))
            .Select(file => CSharpSyntaxTree.ParseText(file.Text, options, file.Path));
        var compilation = CSharpCompilation.Create(
            Name,
            trees,
            AnalyzerRunner.Runtime.AddRange(References.Select(static name => MetadataReference.CreateFromFile(Path.Combine(AppContext.BaseDirectory, name + ".dll")))),
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable));
        CSharpGeneratorDriver.Create([new MessageGenerator().AsSourceGenerator()], parseOptions: options)
            .RunGeneratorsAndUpdateCompilation(compilation, out var output, out _);

        Assert.Empty(output.GetDiagnostics().Where(static diagnostic => diagnostic.Severity == DiagnosticSeverity.Error));
        return output;
    }

    public override string ToString() => Name;

    // Polyfills are for netstandard2.1 alone.
    private static bool IsLeftOut(string path) =>
        path.StartsWith("bin/", StringComparison.Ordinal) || path.StartsWith("obj/", StringComparison.Ordinal) || path.StartsWith("Polyfills/", StringComparison.Ordinal);

    private static string FindRepository()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Reloaded.Messaging.sln")))
                return folder.FullName;
        }

        throw new DirectoryNotFoundException($"No folder above {AppContext.BaseDirectory} holds Reloaded.Messaging.sln. Run the tests where they were built.");
    }
}
