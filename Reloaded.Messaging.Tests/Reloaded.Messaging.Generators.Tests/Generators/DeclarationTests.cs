using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Generators;
using Reloaded.Messaging.Generators.Emitting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

public sealed class DeclarationTests
{
    private const string Initializer = "ModuleInitializer";

    [Fact]
    public void The_contracts_are_declared_as_the_assembly_is_loaded()
    {
        var file = GeneratorRunner.Generate(Sources.Usings + "[Message] public class B { } namespace N { [Message] public struct A { public int X; } }")["MessageContracts.g.cs"];

        Assert.Contains(Initializer, file, System.StringComparison.Ordinal);
        Assert.Contains("namespace Checked", file, System.StringComparison.Ordinal);
        Assert.Contains("Generated.BSerializer.Contract.Declare();", file, System.StringComparison.Ordinal);
        Assert.Contains("Generated.N_ASerializer.Contract.Declare();", file, System.StringComparison.Ordinal);
    }

    [Fact]
    public void A_target_without_module_initializers_is_left_to_call_it()
    {
        // Without a runtime there is no such attribute; and no int either, but this message needs none.
        var library = MetadataReference.CreateFromFile(typeof(PackedMessage).Assembly.Location);
        var bare = CSharpCompilation.Create("Checked", [GeneratorRunner.Parse("[Reloaded.Messaging.Message] public class M { }")], [library]);
        var file = GeneratorRunner.Driver().RunGenerators(bare).GetRunResult().GeneratedTrees.Single(static tree => tree.FilePath.EndsWith("MessageContracts.g.cs", System.StringComparison.Ordinal)).ToString();

        Assert.DoesNotContain(Initializer, file, System.StringComparison.Ordinal);
        Assert.Contains("MSerializer.Contract.Declare();", file, System.StringComparison.Ordinal);
    }

    [Fact]
    public void A_compiler_without_module_initializers_is_left_to_call_it()
    {
        // C# 8 is what netstandard2.1 has unless a project says otherwise.
        var output = GeneratorRunner.Compile(
            Sources.Usings + """
                public enum E : short { A = -1 }
                public struct Pair { public int A, B; }
                [Message(1, Pooled = true)] public class M
                {
                    public List<string>? A { get; set; }
                    [Secret] public byte[]? B { get; set; }
                    [Interned] public Dictionary<string, M[]> C { get; set; } = new Dictionary<string, M[]>();
                    public List<Pair>? D { get; set; }
                    public DateTime? F { get; set; }
                    public int[][]? G;
                    public bool H;
                    public S I;
                }
                [Message(2, VersionTolerant = true)] public class V { [MessageField(2)] public int A; [MessageField(1)] public List<M>? B; }
                [Message(3)] public class P : U { public P(int a, string b = "x", E? c = E.A, List<int>? d = null) { A = a; B = b; C = c; D = d; } public int A { get; } public string B { get; } public E? C { get; } public List<int>? D { get; } }
                [Message(4), MessageUnion(0, typeof(P))] public abstract class U { }
                [Message(5)] public struct S { public int A; public bool B; public U? C; }
                [Message(6)] public struct T { public int A, B; }
                public class User { void Use() => Checked.MessageContracts.Declare(); }
                """,
            LanguageVersion.CSharp8);

        Assert.DoesNotContain(Initializer, string.Concat(output.SyntaxTrees), System.StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("[Message] public class Checked { }")] // a type with the name of the project
    [InlineData("public class Checked { } [Message] public class M { }")]
    [InlineData("namespace Checked { public class MessageContracts { } [Message] public class M { } }")]
    public void A_name_that_the_program_uses_is_left_to_it(string source)
    {
        var output = GeneratorRunner.Compile(Sources.Usings + source + " public class User { void Use() => Reloaded.Messaging.Generated.Checked_MessageContracts.Declare(); }");

        Assert.Contains(Initializer, string.Concat(output.SyntaxTrees), System.StringComparison.Ordinal);
    }

    [Fact]
    public void Assemblies_with_one_root_namespace_are_declared_from_a_third()
    {
        var program = GeneratorRunner.Create(
            "public class User { void Use() { Reloaded.Messaging.Generated.First_MessageContracts.Declare(); Reloaded.Messaging.Generated.My_Second_MessageContracts.Declare(); } }",
            references: [Library("First"), Library("My.Second")]);

        Assert.Empty(program.GetDiagnostics(TestContext.Current.CancellationToken));

        static MetadataReference Library(string name)
        {
            var source = GeneratorRunner.Create(Sources.Usings + $"[Message] public class {name.Replace('.', '_')} {{ void Use() => Shared.MessageContracts.Declare(); }}", name: name);
            CSharpGeneratorDriver.Create([new MessageGenerator().AsSourceGenerator()], optionsProvider: new Schemas.BuildProperties("build_property.RootNamespace", "Shared"))
                .RunGeneratorsAndUpdateCompilation(source, out var output, out _, TestContext.Current.CancellationToken);
            return MetadataReference.CreateFromImage(GeneratorRunner.Emit((CSharpCompilation)output));
        }
    }

    [Fact]
    public void A_library_that_brings_the_attribute_too_changes_nothing()
    {
        var polyfill = MetadataReference.CreateFromImage(GeneratorRunner.Emit(GeneratorRunner.Create(
            "namespace System.Runtime.CompilerServices { [AttributeUsage(AttributeTargets.Method)] internal sealed class ModuleInitializerAttribute : Attribute { } }", name: "Polyfill")));
        var output = GeneratorRunner.Compile(Sources.Usings + "[Message] public class M { }", references: polyfill);

        Assert.Contains(Initializer, string.Concat(output.SyntaxTrees), System.StringComparison.Ordinal);
    }

    [Fact]
    public void Nothing_is_declared_where_there_are_no_messages() => Assert.Empty(GeneratorRunner.Generate(Sources.Usings + "public class M { }"));

    [Theory]
    [InlineData("My.Game", "namespace My.Game")]
    [InlineData("my-game.3d", "namespace my_game._3d")]
    [InlineData("My.class", "namespace My.@class")]
    public void The_namespace_is_made_of_the_assembly_s_name(string name, string expected)
    {
        var output = GeneratorRunner.Compile(Sources.Usings + "[Message] public class M { }", name: name);

        Assert.Contains(expected + "\n", string.Concat(output.SyntaxTrees), System.StringComparison.Ordinal);
    }

    [Fact]
    public void The_root_namespace_may_be_none()
    {
        var code = DeclarationEmitter.Emit(new DeclarationName("Checked_MessageContracts", ""), hasModuleInitializers: false, [], []);

        Assert.Equal(2, code.Split("namespace ").Length);
        Assert.Contains("\npublic static class MessageContracts\n", code, System.StringComparison.Ordinal);
        Assert.Empty(GeneratorRunner.Create(code, LanguageVersion.CSharp9).GetDiagnostics(TestContext.Current.CancellationToken));
    }
}
