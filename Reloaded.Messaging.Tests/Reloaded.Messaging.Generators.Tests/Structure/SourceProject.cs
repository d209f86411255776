using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Generators;
using Reloaded.Messaging.Tests.Schemas;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>A project of this repository, compiled from its sources as for net10.0.</summary>
/// <param name="Name">The name of the project and of its folder in <c>Source</c>, of the house or of a neighbour.</param>
/// <param name="References">The names of the libraries that the project refers to. The test project refers to each.</param>
public sealed record SourceProject(string Name, params string[] References)
{
    private static readonly ConcurrentDictionary<string, Lazy<Compilation>> s_compiled = new(StringComparer.Ordinal);
    private static readonly ConcurrentDictionary<string, Lazy<FolderGraph>> s_folders = new(StringComparer.Ordinal);

    /// <summary>The projects whose own folder holds the public API only. <see cref="FolderGraph"/> describes what does not count there.</summary>
    private static readonly string[] s_withPublicRoot = ["Reloaded.Messaging.Hosting"];

    /// <summary>The folder of the repository, in which the tests were built. The compiler's paths do not name it in a deterministic build.</summary>
    internal static string Repository => RepositoryFolder.FullName;

    /// <summary>Returns the C# files below a folder of <c>Source</c>, of the house and of its neighbours, that are not written by a build: the path of each in <c>Source</c>, with slashes, and its full path.</summary>
    /// <param name="folder">The folder; an empty string for all of <c>Source</c>.</param>
    internal static IEnumerable<(string Path, string File)> FilesIn(string folder) =>
        from source in RepositoryFolder.Sources
        let below = Path.Combine(source, folder)
        where Directory.Exists(below)
        from file in Directory.EnumerateFiles(below, "*.cs", SearchOption.AllDirectories)
        let path = Path.GetRelativePath(source, file).Replace('\\', '/')
        where !path.Contains("/bin/", StringComparison.Ordinal) && !path.Contains("/obj/", StringComparison.Ordinal)
        select (path, file);

    /// <summary>Returns the project compiled from its sources. Fails on an error: a name that is not found would be missing in the graph.</summary>
    internal Compilation Compile() => s_compiled.GetOrAdd(Key, _ => new(CompileSources)).Value;

    /// <summary>Returns the references between the folders of the project.</summary>
    internal FolderGraph GetFolders() => s_folders.GetOrAdd(Key, _ => new(() => FolderGraph.Of(Compile(), HasPublicRoot))).Value;

    /// <summary>Whether the project's own folder holds the public API only.</summary>
    internal bool HasPublicRoot => s_withPublicRoot.Contains(Name, StringComparer.Ordinal);

    public override string ToString() => Name;

    private string Key => $"{Name}: {string.Join(", ", References)}";

    private Compilation CompileSources()
    {
        var folder = RepositoryFolder.Sources.Select(source => Path.Combine(source, Name)).First(Directory.Exists);
        var project = Path.Combine(folder, Name + ".csproj");
        var rootNamespace = XDocument.Load(project).Descendants("RootNamespace").FirstOrDefault()?.Value ?? Name;
        var options = new CSharpParseOptions(LanguageVersion.Preview);
        var trees = Directory.GetFiles(folder, "*.cs", SearchOption.AllDirectories)
            .Select(file => (Path: Path.GetRelativePath(folder, file).Replace('\\', '/'), Text: File.ReadAllText(file)))
            .Where(static file => !IsLeftOut(file.Path))
            .Concat(SharedFiles(project).Select(static file => (Path: "", Text: File.ReadAllText(file))))
            .Append((Path: "", Text: GlobalUsings(project)))
            .Select(file => CSharpSyntaxTree.ParseText(file.Text, options, file.Path));
        var compilation = CSharpCompilation.Create(
            XDocument.Load(project).Descendants("AssemblyName").FirstOrDefault()?.Value ?? Name, // the name by which another assembly shows its internal types
            trees,
            AnalyzerRunner.Runtime.AddRange(References.Select(static name => MetadataReference.CreateFromFile(Path.Combine(AppContext.BaseDirectory, name + ".dll")))),
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable));
        var driver = CSharpGeneratorDriver.Create([new MessageGenerator().AsSourceGenerator()], null, options, new BuildProperties("build_property.RootNamespace", rootNamespace))
            .RunGeneratorsAndUpdateCompilation(compilation, out var output, out _);

        // The generators of the SDK, which implement partial methods, do not run here.
        Assert.Empty(output.GetDiagnostics().Where(static diagnostic => diagnostic is { Severity: DiagnosticSeverity.Error, Id: not "CS8795" }));
        foreach (var generated in driver.GetRunResult().GeneratedTrees)
            output = output.ReplaceSyntaxTree(generated, generated.WithFilePath("")); // in no folder of the project
        return output;
    }

    // A file X.Net8.cs beside X.cs is for an older target alone, as the project says.
    private static bool IsLeftOut(string path) =>
        path.StartsWith("bin/", StringComparison.Ordinal) ||
        path.StartsWith("obj/", StringComparison.Ordinal) ||
        path.EndsWith(".Net8.cs", StringComparison.Ordinal);

    /// <summary>The namespaces that the repository and the project import in all files for each target, as the SDK writes them for the compiler.</summary>
    private static string GlobalUsings(string project) => string.Concat(
        from file in (string[])[Path.Combine(Repository, "Directory.Build.props"), project]
        from item in XDocument.Load(file).Descendants("Using")
        where item.Parent!.Attribute("Condition") is null
        select $"global using {item.Attribute("Include")!.Value};\n");

    /// <summary>The shared files that the project compiles, too. They belong to no folder of the project.</summary>
    private static IEnumerable<string> SharedFiles(string project) =>
        from folder in XDocument.Load(project).Descendants("SharedSources").SelectMany(static groups => groups.Value.Split(';'))
            .Where(static name => !name.StartsWith("$(", StringComparison.Ordinal)).Select(static name => Path.Combine(Repository, "Source", "Shared", name))
            .Concat(XDocument.Load(project).Descendants("Compile").Select(static item => item.Attribute("Include")?.Value)
                .Where(static include => include is not null && include.StartsWith("../", StringComparison.Ordinal))
                .Select(include => Path.GetDirectoryName(Path.Combine(Path.GetDirectoryName(project)!, include!))!))
        from file in Directory.GetFiles(folder, "*.cs")
        select file;
}
