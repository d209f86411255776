using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Text;
using Reloaded.Messaging.Compression.LZ4;
using Reloaded.Messaging.Generators;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Schemas;

/// <summary>Writes the schema of a source, and compares a source with a schema, as a build with MessageSchemaFile does.</summary>
internal static class SchemaRunner
{
    private const string Usings = "using System;\nusing System.Collections.Generic;\nusing System.Numerics;\nusing Reloaded.Messaging;\n";

    private static readonly MetadataReference[] s_compressors = [MetadataReference.CreateFromFile(typeof(LZ4Compressor).Assembly.Location)];
    private static readonly BuildProperties s_options = new("build_property.MessageSchemaFile", "contracts.schema.json");

    /// <summary>Returns the schema that the generator emits, without its comment marks.</summary>
    public static string Write(params string[] sources) => GeneratorRunner.WriteSchema(Compile(sources));

    /// <summary>Returns the diagnostics of a source whose committed schema is the given one.</summary>
    public static async Task<ImmutableArray<Diagnostic>> CompareAsync(string schema, string source)
    {
        var options = new AnalyzerOptions([new SchemaFile(schema)], s_options);
        return await Compile([source]).WithAnalyzers([new ContractSchemaAnalyzer()], options).GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken);
    }

    private static CSharpCompilation Compile(string[] sources)
    {
        var compilation = GeneratorRunner.Create(Usings + sources[0], name: "Game", references: s_compressors)
            .AddSyntaxTrees(sources.Skip(1).Select(static source => GeneratorRunner.Parse(Usings + source)));
        Assert.Empty(compilation.GetDiagnostics(TestContext.Current.CancellationToken).Where(static diagnostic => diagnostic.Severity == DiagnosticSeverity.Error));
        return compilation;
    }

    private sealed class SchemaFile(string text) : AdditionalText
    {
        public override string Path => "/game/contracts.schema.json";

        public override SourceText GetText(CancellationToken cancellationToken = default) => SourceText.From(text);
    }
}
