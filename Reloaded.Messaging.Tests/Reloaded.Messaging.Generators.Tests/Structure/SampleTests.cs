using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>The samples of docs/internals/authoring.md use the public API. The test assemblies that run them could see more.</summary>
public sealed class SampleTests
{
    private static readonly string s_tests = Path.Combine(SourceProject.Repository, "Reloaded.Messaging.Tests");

    [Fact]
    public void Sample_transport_compiles_against_public_types_without_hosts() =>
        AssertCompiles(4, Path.Combine(s_tests, "Reloaded.Messaging.Tests.Support", "Transports", "Samples"), "*.cs", [typeof(PackedMessage), typeof(Transport)]);

    [Fact]
    public void Sample_host_compiles_against_public_types() =>
        AssertCompiles(5, Path.Combine(s_tests, "Reloaded.Messaging.Hosting.Tests", "Samples"), "*.cs", [typeof(PackedMessage), typeof(Transport), typeof(MessageHost)]);

    [Fact]
    public void Sample_that_uses_internal_type_does_not_compile()
    {
        var errors = ErrorsOf(["class Sample { object Make() => Reloaded.Messaging.InProcessTransport.Instance; }"], [typeof(PackedMessage), typeof(Transport)]);

        Assert.Equal("CS0122", Assert.Single(errors).Id);
    }

    private static void AssertCompiles(int count, string folder, string pattern, Type[] library)
    {
        var sources = Directory.GetFiles(folder, pattern).Where(static file => !file.EndsWith("Tests.cs", StringComparison.Ordinal)).Select(File.ReadAllText).ToList();

        Assert.Equal(count, sources.Count);
        Assert.Empty(ErrorsOf(sources, library));
    }

    private static IEnumerable<Diagnostic> ErrorsOf(IEnumerable<string> sources, IEnumerable<Type> library) => CSharpCompilation.Create(
        "Outside", // in no InternalsVisibleTo
        sources.Select(static source => CSharpSyntaxTree.ParseText(source, new CSharpParseOptions(LanguageVersion.Latest))),
        AnalyzerRunner.Runtime.AddRange(library.Select(static type => MetadataReference.CreateFromFile(type.Assembly.Location))),
        new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable))
        .GetDiagnostics().Where(static diagnostic => diagnostic.Severity == DiagnosticSeverity.Error);
}
