using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Loader;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Unity;
using Xunit;

namespace Reloaded.Messaging.Tests.Compiler;

/// <summary>Compiles as Unity does: with Roslyn 4.3, and against the class library of netstandard2.1 and the assemblies of the package.</summary>
internal static class UnityCompiler
{
    /// <summary>The part of the engine that the samples use.</summary>
    public const string Engine = """
        namespace UnityEngine
        {
            public class MonoBehaviour { }
            public static class Debug
            {
                public static void Log(object message) { }
                public static void LogException(System.Exception exception) { }
            }
            public static class Time { public static int frameCount => 7; }
        }
        namespace UnityEngine.SceneManagement
        {
            public struct Scene { public string name => "Menu"; }
            public static class SceneManager { public static Scene GetActiveScene() => default; }
        }
        """;

    private static readonly MetadataReference s_netStandard = MetadataReference.CreateFromFile(Path.Combine(AppContext.BaseDirectory, "Unity", "netstandard.dll"));

    /// <summary>The folder of the package, which is written once for all tests.</summary>
    public static string Package { get; } = UnityPackage.Write(Path.Combine(AppContext.BaseDirectory, "Unity"));

    /// <summary>The package's assemblies that a game runs.</summary>
    public static ImmutableArray<string> Assemblies { get; } =
        [.. Directory.GetFiles(Path.Combine(Package, "Runtime"), "*.dll").Where(static file => Path.GetFileName(file) != "Reloaded.Messaging.Generators.dll").Order(StringComparer.Ordinal)];

    /// <summary>The compiler's view of an analyzer's file, which fails the test if the compiler refuses the file.</summary>
    public static AnalyzerFileReference Load(string file)
    {
        var reference = new AnalyzerFileReference(file, new Loader());
        reference.AnalyzerLoadFailed += static (_, failure) => Assert.Fail($"{failure.ErrorCode}: {failure.Message}");
        return reference;
    }

    /// <summary>Compiles sources, and fails on each error and warning.</summary>
    public static CSharpCompilation Compile(
        string assembly,
        LanguageVersion language,
        IEnumerable<string> sources,
        bool runsGenerator = false,
        params CSharpCompilation[] references)
    {
        var options = new CSharpParseOptions(language);
        Compilation compilation = CSharpCompilation.Create(
            assembly,
            sources.Select(source => CSharpSyntaxTree.ParseText(source, options)),
            [s_netStandard, .. Assemblies.Select(static file => MetadataReference.CreateFromFile(file)), .. references.Select(static one => MetadataReference.CreateFromImage(GeneratorRunner.Emit(one)))],
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary)); // no unsafe code, and no nullable references, as in a new project of Unity
        var reported = ImmutableArray<Diagnostic>.Empty;
        if (runsGenerator)
        {
            var generators = Load(Path.Combine(Package, "Runtime", "Reloaded.Messaging.Generators.dll")).GetGenerators(LanguageNames.CSharp);
            CSharpGeneratorDriver.Create(generators, parseOptions: options).RunGeneratorsAndUpdateCompilation(compilation, out compilation, out reported);
        }

        Assert.Empty(reported.AddRange(compilation.GetDiagnostics(TestContext.Current.CancellationToken)).Where(static one => one.Severity >= DiagnosticSeverity.Warning));
        return (CSharpCompilation)compilation;
    }

    /// <summary>The text of the files that the generator added.</summary>
    public static IEnumerable<string> GeneratedIn(CSharpCompilation compilation) =>
        compilation.SyntaxTrees.Where(static tree => tree.FilePath.EndsWith(".g.cs", StringComparison.Ordinal)).Select(static tree => tree.ToString());

    /// <summary>The samples of the package, compiled as in a project that has imported them: the assembly of the package, the contracts, and the game.</summary>
    public static (CSharpCompilation Package, CSharpCompilation Contracts, CSharpCompilation Game) CompileSamples()
    {
        var sample = Path.Combine(Package, "Samples~", "FirstMessage");
        var package = Compile("Reloaded.Messaging.Unity", LanguageVersion.CSharp9, [File.ReadAllText(Path.Combine(Package, "Runtime", "IsExternalInit.cs"))], runsGenerator: true);
        var contracts = Compile("FirstMessage.Contracts", LanguageVersion.CSharp9, [File.ReadAllText(Path.Combine(sample, "Contracts", "Messages.cs"))], runsGenerator: true, package);
        var game = Compile("Assembly-CSharp", LanguageVersion.CSharp9, [File.ReadAllText(Path.Combine(sample, "GameServer.cs")), Engine], runsGenerator: true, package, contracts);
        return (package, contracts, game);
    }

    /// <summary>Loads each file beside this process's own generator, whose references are those of this process.</summary>
    private sealed class Loader : AssemblyLoadContext, IAnalyzerAssemblyLoader
    {
        public void AddDependencyLocation(string fullPath)
        {
        }

        public Assembly LoadFromPath(string fullPath) => LoadFromAssemblyPath(fullPath);
    }
}
