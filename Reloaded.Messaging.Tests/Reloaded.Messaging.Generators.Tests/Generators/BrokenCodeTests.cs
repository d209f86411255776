using System.Linq;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>In an editor most code is code that does not compile yet.</summary>
public sealed class BrokenCodeTests
{
    [Theory]
    [InlineData("[Message] public struct M { public M A; }")]
    [InlineData("public struct A { public B X; } public struct B { public A X; } [Message] public class M { public A A; }")]
    [InlineData("[Message] public class M : M { public int A; }")]
    [InlineData("[Message] public class M : Missing { public Missing A; public List<Missing> B; public Missing[] C { get; } public Dictionary<Missing, int> D; }")]
    [InlineData("[Message] public record M(Missing A, int B = );")]
    [InlineData("[Message] public record M(int A = \"text\", string B = 3, int A = 4);")]
    [InlineData("[Message(\"text\")] public class M { public int A; }")]
    [InlineData("[Message(1, 2, 3)] public class M { public int A; }")]
    [InlineData("[Message(Missing = 3, Version = \"1\", Pooled = 7, Compressor = typeof(Missing))] public class M { public int A; }")]
    [InlineData("[Message] public class M { } [Message] public class M { }")]
    [InlineData("[Message] public class M { } [Message] public record M(int A); [Message] public struct M { }")]
    [InlineData("[Message] public partial class M { } [Message] public partial class M { }")]
    [InlineData("[Message, Message(3)] public class M { public int A; public int A; }")]
    [InlineData("[Message] public class M<T> { } [Message] public class M { }")]
    [InlineData("[Message, MessageUnion(0, typeof(Missing)), MessageUnion(typeof(M)), MessageUnion] public abstract class M { }")]
    [InlineData("[Message(VersionTolerant = true)] public class M { [MessageField] public int A; [MessageField(\"1\")] public int B; [MessageField(Missing)] public int C; }")]
    [InlineData("[Message] public class { public int ; }")]
    [InlineData("[Message] public enum M { A }")]
    [InlineData("[Message] public delegate void M();")]
    public async Task Neither_the_generator_nor_the_analyzer_fails(string code)
    {
        var compilation = GeneratorRunner.Create(Sources.Usings + code);
        var result = GeneratorRunner.Driver().RunGenerators(compilation).GetRunResult();
        Assert.Null(result.Results.Single().Exception);

        var found = await compilation.WithAnalyzers([new MessageContractAnalyzer()]).GetAnalyzerDiagnosticsAsync();
        Assert.DoesNotContain(found, static diagnostic => diagnostic.Id == "AD0001");
    }

    [Fact]
    public async Task A_type_that_is_missing_is_left_to_the_compiler()
    {
        var compilation = GeneratorRunner.Create(Sources.Usings + "[Message] public class M { public Missing A; public int B; }");

        Assert.Empty(await compilation.WithAnalyzers([new MessageContractAnalyzer()]).GetAnalyzerDiagnosticsAsync());
        Assert.Empty(GeneratorRunner.Driver().RunGenerators(compilation).GetRunResult().GeneratedTrees);
    }
}
