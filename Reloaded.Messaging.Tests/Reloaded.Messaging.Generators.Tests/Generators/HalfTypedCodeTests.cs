using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Text;
using Reloaded.Messaging.Generators;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>The generator and the analyzers do not throw for code that is being typed, and the generated code has no errors of its own: prefixes of samples, and samples without one token.</summary>
public sealed class HalfTypedCodeTests
{
    // Small samples lose every sixth token in turn, in .ci/run. Of the large samples, which are the messages of the core's tests, a few prefixes and tokens are taken.
    private const string Small = """
        public enum E : byte { A = 1, B }
        public struct Cell { public int X, Y; }
        [Message(1, Pooled = true)] public class P { public List<Cell>? A { get; set; } [Secret] public byte[]? B { get; set; } public Dictionary<string, (int, E?)[]> C { get; } = new(); }
        [Message(2, VersionTolerant = true)] public record V([MessageField(2)] Cell A, [MessageField(1, FormerName = "X")] string B = "x");
        [Message(3), MessageUnion(0, typeof(K))] public interface U { }
        [Message(4, Compressor = typeof(BrotliCompressor))] public readonly record struct K(HashSet<Cell> A, decimal? B = 3) : U;
        """;

    private const string Program = """
        [Reloaded.Messaging.Hosting.MessageService] public interface S { System.Threading.Tasks.Task<int> A(Move a, [Secret] string b = "", int c = 3); event Action<Move> D; }
        [Message(5)] public struct Move : IRequest<Move> { public int X; public int Y; }
        public class Program
        {
            public static async System.Threading.Tasks.Task Run(Reloaded.Messaging.Hosting.MessageHost host, Reloaded.Messaging.Hosting.Peer peer)
            {
                host.On((Move m) => peer.SendAsync(m));
                host.OnRequest(async (Move m) => await peer.RequestAsync(m));
                var packed = new MessageWriter().Pack(new Move { X = 1 });
                packed.Dispose();
                _ = packed.Span;
                peer.Send<object>(new Move());
            }
        }
        """;

    // Of a message inside another one that has an error itself, and of a type that is less accessible than a service with it. Other errors in generated code are only noise.
    private static readonly string[] s_consequences = ["CS0234", "CS0400", "CS0052"];

    private static readonly DiagnosticAnalyzer[] s_analyzers =
    [
        .. typeof(MessageGenerator).Assembly.GetTypes()
            .Where(static type => !type.IsAbstract && type.IsSubclassOf(typeof(DiagnosticAnalyzer)))
            .Select(static type => (DiagnosticAnalyzer)Activator.CreateInstance(type)!),
    ];

    [Theory]
    [InlineData(Small)]
    [InlineData(Program)]
    public Task Small_samples_have_no_further_errors(string sample) => ExpectAsync([.. WithoutTokens(sample, Extent.Of(24, 6)), .. Prefixes(sample, Extent.Of(241, 61))]);

    [Theory]
    [InlineData("Forms.cs.txt")]
    [InlineData("SampleMessages.cs.txt")]
    public async Task Large_samples_have_no_further_errors(string file)
    {
        var sample = await File.ReadAllTextAsync(Path.Combine(AppContext.BaseDirectory, "VectorMessages", file), TestContext.Current.CancellationToken);
        await ExpectAsync([.. WithoutTokens(sample, CountTokens(sample) / 5), .. Prefixes(sample, sample.Length / 5)]);
    }

    private static int CountTokens(string sample) => Tokens(sample).Count();

    private static IEnumerable<SyntaxToken> Tokens(string sample) => GeneratorRunner.Parse(sample).GetRoot().DescendantTokens();

    private static IEnumerable<string> WithoutTokens(string sample, int stride) => Tokens(sample).Where((_, i) => i % stride == 0).Select(token => sample.Remove(token.SpanStart, token.Span.Length));

    private static IEnumerable<string> Prefixes(string sample, int stride) => Enumerable.Range(0, sample.Length / stride).Select(i => sample[..(i * stride)]);

    private static async Task ExpectAsync(IEnumerable<string> codes)
    {
        var compilation = GeneratorRunner.Create("");
        var tree = compilation.SyntaxTrees[0];
        var driver = GeneratorRunner.Driver();
        foreach (var code in codes)
        {
            var next = tree.WithChangedText(SourceText.From(Sources.Usings + code));
            compilation = compilation.ReplaceSyntaxTree(tree, next);
            tree = next;
            driver = driver.RunGeneratorsAndUpdateCompilation(compilation, out var output, out var reported, TestContext.Current.CancellationToken);
            Assert.True(reported.IsEmpty, $"{string.Join('\n', reported)}\n{code}");
            var own = output.GetDiagnostics(TestContext.Current.CancellationToken).Where(one => one.Severity == DiagnosticSeverity.Error && one.Location.SourceTree is { } place && place != tree);
            Assert.True(!own.Any(static one => !s_consequences.Contains(one.Id)), $"{string.Join('\n', own)}\n{code}");

            var found = await output.WithAnalyzers([.. s_analyzers]).GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken);
            Assert.True(!found.Any(static one => one.Id == "AD0001"), $"{string.Join('\n', found)}\n{code}");
        }
    }
}
