using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

public sealed class CompilationTests
{
    [Theory]
    [InlineData("[Message(1)] public class M { public int A { get; set; } public string B = \"\"; }")]
    [InlineData("[Message(1)] public sealed class M { }")]
    [InlineData("[Message(1)] public struct M { public int A; public bool B; }")]
    [InlineData("[Message(1)] public struct M { public int A, B; }")]
    [InlineData("[Message(1)] public readonly struct M { public readonly int A; public readonly string B; public M(int a, string b) { A = a; B = b; } }")]
    [InlineData("[Message(1)] public record M(int A, string B);")]
    [InlineData("[Message(1)] public record struct M(int A, string B);")]
    [InlineData("[Message(1)] public readonly record struct M(int A, string B);")]
    [InlineData("[Message(1)] internal sealed class M { public int A { get; set; } }")]
    [InlineData("public class Outer { public static class Middle { [Message(1)] public struct M { public int A; } } }")]
    [InlineData("public class Outer { [Message(1)] internal class M { public Outer.N? A; } [Message(2)] protected internal class N { } }")]
    [InlineData("namespace A { [Message] public class M { public B.M? Other; } } namespace B { [Message] public class M { public A.M? Other; } }")]
    [InlineData("[Message] public class M { public N.M? A; } public class N { [Message] public class M { } } namespace X { [Message] public class M { } }")]
    [InlineData("[Message] public class M { } [Message] public class m { }")]
    [InlineData("namespace A_ { [Message] public class B { } } namespace A { [Message] public class _B { } [Message] public class _ { } }")]
    [InlineData("namespace Größe { [Message] public class Straße { public int Länge { get; set; } public string 名前 = \"\"; } }")]
    public void Any_kind_of_type_compiles(string code) => GeneratorRunner.Compile(Sources.Usings + code);

    [Theory]
    [InlineData("[Message] public class Base { public int A; } [Message] public class M : Base { public int B; }")]
    [InlineData("public abstract class Base { public abstract int A { get; set; } public virtual int B { get; set; } } [Message] public class M : Base { public override int A { get; set; } public override int B { get; set; } }")]
    [InlineData("public class Base { public virtual int A { get; set; } } [Message] public class M : Base { public override int A => 3; }")]
    [InlineData("public class Base { public int A { get; set; } } [Message] public class M : Base { public new string A { get; set; } = \"\"; }")]
    [InlineData("public class Base { public int A { get; set; } } [Message] public class M : Base { public new string A => \"\"; }")]
    [InlineData("public class Base { public int A { get; set; } } [Message] public class M : Base { public new void A() { } }")]
    [InlineData("public class Base { public int A { get; set; } } [Message] public class M : Base { private new string A = \"\"; public override string ToString() => A; }")]
    [InlineData("public class Base { public int A { get; set; } } [Message] public class M : Base { public new static string A = \"\"; }")]
    [InlineData("public class Base<T> { public T? A { get; set; } public List<T>? B { get; set; } } [Message] public class M : Base<int> { }")]
    [InlineData("public record Base(int A); [Message] public sealed record M(int A, int B) : Base(A);")]
    public void Members_of_base_classes_compile(string code) => GeneratorRunner.Compile(Sources.Usings + code);

    [Theory]
    [InlineData("[Message] public class M { public required int A { get; set; } public required string B { get; init; } public int C { get; set; } }")]
    [InlineData("[Message] public class M { public int A { get; init; } public string? B { get; init; } }")]
    [InlineData("[Message] public class M(int a, string b) { public int A { get; } = a; public string B { get; } = b; }")]
    [InlineData("[Message] public record M(int x, string X);")]
    [InlineData("[Message] public record M(int A) { public string? B { get; init; } public required int C { get; set; } }")]
    [InlineData("[Message] public class M { public int A { get; } public M(in int a) { A = a; } public M(ref int a, int b) { A = b; } }")]
    [InlineData("[Message] public class M { public int A { get; } public M(int a, string? more = null) { A = a; _ = more; } }")]
    [InlineData("[Message] public record M(int A, [property: MessageIgnore] string B);")]
    [InlineData("[Message] public class M { public int A { get; set; } public string this[int index] => \"\"; public static int S; public const int C = 3; public event Action? E { add { } remove { } } public int G => A; public int Set { set { } } public int Hidden { private get; set; } }")]
    [InlineData("public interface I { int A { get; set; } } [Message] public class M : I { int I.A { get; set; } public int B { get; set; } }")]
    [InlineData("[Message] public class M { [Obsolete] public int A { get; set; } [Obsolete(\"no\", true)] public List<int>? B { get; set; } }")]
    [InlineData("public struct S { public KeyValuePair<int, int> A; } [Message] public class M { public S A { get; set; } }")]
    [InlineData("[Message, Obsolete(\"no\", true)] public class M { public int B { get; set; } }")]
    [InlineData("[Message] public class M { public int A { get; [Obsolete(\"no\", true)] set; } }")]
    [InlineData("[Message] public class M { public int A { [Obsolete(\"no\", true)] get; set; } }")]
    [InlineData("public class Base { public virtual int A { get; [Obsolete(\"no\", true)] set; } } [Message] public class M : Base { public override int A { get => 3; } }")]
    [InlineData("[Obsolete(\"no\", true)] public enum E { } [Message] public class M { [Obsolete] public List<E>? A { get; set; } }")]
    [InlineData("[Obsolete(\"no\", true)] public enum E { } [Message] public class M { [Obsolete] public Dictionary<int, E?[]>? A { get; set; } }")]
    [InlineData("[Obsolete(\"no\", true)] public class Outer { public enum E { } } [Message] public class M { [Obsolete] public Outer.E A { get; set; } }")]
    [InlineData("[Message(1, VersionTolerant = true)] public record M([MessageField(2)] int A, [MessageField(1)] string B);")]
    [InlineData("[Message(1, VersionTolerant = true)] public class M { }")]
    [InlineData("#nullable disable\n[Message] public class M { public string A; public List<string> B { get; set; } public M[] C; public Dictionary<string, M> D; }")]
    [InlineData("[Message] public class M { public int?[]? A; public int[][][]? B; public List<int[]?>? C; public Dictionary<Guid, Dictionary<string, List<M?>>>? D; public (int, int) E() => default; }")]
    [InlineData("[Message, MessageUnion(0, typeof(A)), MessageUnion(1, typeof(B))] public interface I { } [Message] public class A : I { public I? Next; } [Message] public record B(int X) : I;")]
    public void Any_kind_of_member_compiles(string code) => GeneratorRunner.Compile(Sources.Usings + code);

    [Theory]
    [InlineData("public class PayloadReader { } public class MessageBuffer { } public class CompressionOptions { } public class MessageShape { } [Message] public class M { public List<string>? A; }")]
    [InlineData("namespace Reloaded { class PayloadReader { } } namespace Reloaded.Messaging.System { class Array { } } namespace Mine { [Message] public class M { public string[]? A; } }")]
    [InlineData("[Message(1, Pooled = true)] public class Blittable { public List<string>? A; } [Message(2)] public class IMessage { public Blittable? A; }")]
    public void Types_that_are_named_like_the_library_compile(string code) =>
        GeneratorRunner.Compile(Sources.Usings.Replace("using Reloaded.Messaging;", "using MessageAttribute = Reloaded.Messaging.MessageAttribute;") + code);

    [Fact]
    public void Type_with_the_name_of_a_generated_class_is_an_error_that_names_it()
    {
        var code = GeneratorRunner.Create(Sources.Usings + "namespace Reloaded.Messaging.Generated { public class MSerializer { } } [Message] public class M { }");
        GeneratorRunner.Driver().RunGeneratorsAndUpdateCompilation(code, out var output, out _, TestContext.Current.CancellationToken);

        Assert.Contains(output.GetDiagnostics(TestContext.Current.CancellationToken), static one => one.Id == "CS0101" && one.ToString().Contains("'MSerializer'", StringComparison.Ordinal));
    }

    [Fact]
    public void A_compiler_of_csharp_9_compiles_it() => GeneratorRunner.Compile(
        Sources.Usings + """
            public enum E : short { A = -1 }
            [Message(1)] public record R(int A, string B = "x", E? C = E.A);
            [Message(2, Pooled = true)] public class C { public List<C>? A { get; set; } public Dictionary<string, int[]>? B { get; set; } public DateTime? D; }
            [Message(3, VersionTolerant = true)] public record V([MessageField(2)] int A, [MessageField(1)] C? B);
            [Message(4), MessageUnion(0, typeof(R2))] public abstract record U { }
            [Message(5)] public record R2(List<U> Parts) : U;
            [Message(6)] public struct S { public int A; public int B; }
            """,
        LanguageVersion.CSharp9);

    [Theory]
    [InlineData(LanguageVersion.CSharp7_3)]
    [InlineData(LanguageVersion.CSharp8)]
    public void A_compiler_without_nullable_annotations_compiles_it(LanguageVersion language)
    {
        var code = GeneratorRunner.Create(
            Sources.Usings + """
                [Message(1)] public class C { public List<string> A { get; set; } public Dictionary<string, int[]> B; public DateTime? D; public S E; public int F { get; set; } = 5; }
                [Message(2, Pooled = true)] public class P { public List<C> A { get; set; } public HashSet<long> B { get; set; } }
                [Message(3), MessageUnion(0, typeof(Q))] public interface U { }
                [Message(4)] public class Q : U { public Q(int a, string b = "x") { A = a; B = b; } public int A { get; } public string B { get; } }
                [Message(5)] public struct S { public int A; public int B; }
                [Message(6, VersionTolerant = true)] public class V { [MessageField(1)] public (int, string) A; }
                [Reloaded.Messaging.Hosting.MessageService] public interface I { System.Threading.Tasks.Task<string> A(int b); event Action<C> D; }
                """,
            language);
        GeneratorRunner.Driver(language).RunGeneratorsAndUpdateCompilation(code.WithOptions(code.Options.WithNullableContextOptions(NullableContextOptions.Disable)), out var output, out var reported, TestContext.Current.CancellationToken);
        Assert.Empty(reported);
        Assert.Empty(output.GetDiagnostics(TestContext.Current.CancellationToken).Where(static one => one.Severity >= DiagnosticSeverity.Warning));
    }
}
