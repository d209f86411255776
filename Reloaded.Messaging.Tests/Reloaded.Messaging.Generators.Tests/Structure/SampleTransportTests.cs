using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>The sample transport of docs/transports.md uses the public API of the transports and of the wire format. The test assemblies that run it could see more.</summary>
public sealed class SampleTransportTests
{
    private static readonly string s_folder = Path.Combine(SourceProject.Repository, "Reloaded.Messaging.Tests", "Reloaded.Messaging.Tests.Support", "Transports", "Samples");

    [Fact]
    public void Sample_compiles_against_public_types()
    {
        var sources = Directory.GetFiles(s_folder, "*.cs").Select(File.ReadAllText).ToList();

        Assert.Equal(4, sources.Count);
        Assert.Empty(ErrorsOf(sources));
    }

    [Fact]
    public void Sample_that_uses_internal_type_does_not_compile()
    {
        var errors = ErrorsOf(["class Sample { object Make() => Reloaded.Messaging.InProcessTransport.Instance; }"]);

        Assert.Equal("CS0122", Assert.Single(errors).Id);
    }

    private static IEnumerable<Diagnostic> ErrorsOf(IEnumerable<string> sources) => CSharpCompilation.Create(
        "Outside", // in no InternalsVisibleTo
        sources.Select(static source => CSharpSyntaxTree.ParseText(source, new CSharpParseOptions(LanguageVersion.Latest))),
        AnalyzerRunner.Runtime.Add(MetadataReference.CreateFromFile(typeof(PackedMessage).Assembly.Location)).Add(MetadataReference.CreateFromFile(typeof(Transport).Assembly.Location)),
        new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable))
        .GetDiagnostics().Where(static diagnostic => diagnostic.Severity == DiagnosticSeverity.Error);
}
