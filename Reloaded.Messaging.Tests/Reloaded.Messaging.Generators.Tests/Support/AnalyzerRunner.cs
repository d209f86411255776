using System.Collections.Immutable;
using System.Globalization;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Compiles a source against this runtime and the library, and runs one analyzer over it.</summary>
internal static class AnalyzerRunner
{
    private static readonly MetadataReference s_library = MetadataReference.CreateFromFile(typeof(PackedMessage).Assembly.Location);
    private static readonly MetadataReference s_transports = MetadataReference.CreateFromFile(typeof(MessageEndpoint).Assembly.Location);
    private static readonly MetadataReference s_hosting = MetadataReference.CreateFromFile(typeof(Peer).Assembly.Location);

    /// <summary>The runtime.</summary>
    public static ImmutableArray<MetadataReference> Runtime { get; } = [.. FindRuntime()];

    /// <summary>The runtime and the library.</summary>
    public static ImmutableArray<MetadataReference> References { get; } = Runtime.AddRange(s_library, s_transports, s_hosting);

    /// <summary>Keeps what the compiler has read of the references: it shares that among all compilations, as long as one of them is alive.</summary>
    private static readonly CSharpCompilation s_kept = Keep();

    /// <summary>Runs an analyzer and checks that it reports the given id at each place marked by <c>[|</c> and <c>|]</c>, and nothing else.</summary>
    /// <returns>What was reported, in order of place.</returns>
    public static async Task<ImmutableArray<Diagnostic>> Expect(
        DiagnosticAnalyzer analyzer,
        string id,
        string markedSource,
        OutputKind kind = OutputKind.DynamicallyLinkedLibrary)
    {
        var source = MarkedSource.Parse(markedSource);
        var found = await Run(analyzer, source.Code, kind, withLibrary: true);

        Assert.Equal(
            source.Marks.Select(mark => $"{id} at {source.Code.Substring(mark.Start, mark.Length)} {mark}").ToArray(),
            found.Select(diagnostic => $"{diagnostic.Id} at {TextOf(diagnostic)} {diagnostic.Location.SourceSpan}").ToArray());
        return found;
    }

    /// <summary>Runs an analyzer over a source that has to compile.</summary>
    public static async Task<ImmutableArray<Diagnostic>> Run(DiagnosticAnalyzer analyzer, string code, OutputKind kind, bool withLibrary)
    {
        var compilation = CSharpCompilation.Create(
            "Checked",
            [CSharpSyntaxTree.ParseText(code, new CSharpParseOptions(LanguageVersion.Latest))],
            withLibrary ? References : Runtime,
            new CSharpCompilationOptions(kind, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable));
        Assert.Empty(compilation.GetDiagnostics().Where(diagnostic => diagnostic.Severity == DiagnosticSeverity.Error));

        // An analyzer that throws reports AD0001, so it fails the test like any other report that nobody expects.
        var found = await compilation.WithAnalyzers([analyzer]).GetAnalyzerDiagnosticsAsync();
        return [.. found.OrderBy(diagnostic => diagnostic.Location.SourceSpan)];
    }

    private static CSharpCompilation Keep()
    {
        var compilation = CSharpCompilation.Create("Kept", references: References);
        Assert.NotNull(compilation.GetSpecialType(SpecialType.System_Object).ContainingAssembly);
        return compilation;
    }

    private static string TextOf(Diagnostic diagnostic) =>
        diagnostic.Location.SourceTree?.GetText().ToString(diagnostic.Location.SourceSpan) ?? diagnostic.GetMessage(CultureInfo.InvariantCulture);

    // Of all that this process may load, the runtime's own: a test's dependencies are no business of the code under test.
    private static IEnumerable<MetadataReference> FindRuntime()
    {
        var folder = Path.GetDirectoryName(typeof(object).Assembly.Location);
        var trusted = (string?)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES") ?? "";
        return trusted
            .Split(Path.PathSeparator)
            .Where(path => Path.GetDirectoryName(path) == folder)
            .Select(path => MetadataReference.CreateFromFile(path));
    }
}
