using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Loader;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Generators;
using Reloaded.Messaging.Tests.Schemas;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Runs the generator over a source, as the compiler does, and loads what came of it.</summary>
internal static class GeneratorRunner
{
    /// <summary>Compiles a source, with what the generator makes of it, and fails on any error and any warning.</summary>
    public static CSharpCompilation Compile(
        string code,
        LanguageVersion language = LanguageVersion.Latest,
        string name = "Checked",
        params MetadataReference[] references)
    {
        var compilation = Create(code, language, name, references);
        Driver(language).RunGeneratorsAndUpdateCompilation(compilation, out var output, out var reported);

        Assert.Empty(reported); // a generator that throws reports CS8785
        Assert.Empty(output.GetDiagnostics().Where(static diagnostic => diagnostic.Severity >= DiagnosticSeverity.Warning));
        return (CSharpCompilation)output;
    }

    /// <summary>A source and the library, without what the generator makes of it.</summary>
    public static CSharpCompilation Create(
        string code,
        LanguageVersion language = LanguageVersion.Latest,
        string name = "Checked",
        params MetadataReference[] references) => CSharpCompilation.Create(
            name,
            [Parse(code, language)],
            AnalyzerRunner.References.AddRange(references),
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable));

    public static SyntaxTree Parse(string code, LanguageVersion language = LanguageVersion.Latest) =>
        CSharpSyntaxTree.ParseText(code, new CSharpParseOptions(language));

    /// <summary>What the compiler drives generators with. It notes which steps it ran.</summary>
    public static GeneratorDriver Driver(LanguageVersion language = LanguageVersion.Latest) => CSharpGeneratorDriver.Create(
        [new MessageGenerator().AsSourceGenerator()],
        parseOptions: new CSharpParseOptions(language),
        driverOptions: new GeneratorDriverOptions(IncrementalGeneratorOutputKind.None, trackIncrementalGeneratorSteps: true));

    /// <summary>The files that the generator makes of a source, by their names.</summary>
    public static ImmutableDictionary<string, string> Generate(string code) =>
        Driver().RunGenerators(Create(code)).GetRunResult().Results.Single().GeneratedSources
            .ToImmutableDictionary(static source => source.HintName, static source => source.SourceText.ToString());

    /// <summary>Returns the schema that the generator emits for a compilation, without its comment marks.</summary>
    public static string WriteSchema(CSharpCompilation compilation)
    {
        var driver = CSharpGeneratorDriver.Create([new MessageGenerator().AsSourceGenerator()], parseOptions: new CSharpParseOptions(LanguageVersion.Latest), optionsProvider: new BuildProperties("build_property.MessageSchemaFile", "contracts.schema.json"));
        var result = driver.RunGenerators(compilation).GetRunResult().Results.Single();
        var file = result.GeneratedSources.Single(static source => source.HintName == "MessageSchema.g.cs").SourceText.ToString();
        Assert.All(file.TrimEnd('\n').Split('\n'), static line => Assert.StartsWith("//! ", line, StringComparison.Ordinal));
        return file.Replace("//! ", "", StringComparison.Ordinal);
    }

    /// <summary>The assembly's bytes.</summary>
    public static byte[] Emit(CSharpCompilation compilation)
    {
        using var image = new MemoryStream();
        var result = compilation.Emit(image, cancellationToken: TestContext.Current.CancellationToken);
        Assert.True(result.Success, string.Join('\n', result.Diagnostics));
        return image.ToArray();
    }

    /// <summary>Loads assemblies, runs the static method <c>Test.Run</c> of the last, and lets all of them go.</summary>
    public static string Run(params byte[][] images)
    {
        var context = new AssemblyLoadContext("Checked", isCollectible: true);
        try
        {
            Assembly? last = null;
            foreach (var image in images)
                last = context.LoadFromStream(new MemoryStream(image));
            var run = last!.GetType("Test", throwOnError: true)!.GetMethod("Run") ?? throw new MissingMethodException("Test", "Run");
            return (string)run.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [], null)!;
        }
        finally
        {
            context.Unload();
        }
    }
}
