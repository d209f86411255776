using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>Messages, structs and base classes that come out of another assembly, of which the compiler sees less.</summary>
public sealed class ReferencedAssemblyTests
{
    private const string Lower = Sources.Usings + """
        namespace Lower
        {
            [Message(1)] public record Item(int Id, string Name);
            [Message(2, Pooled = true)] public class Bag { public List<Item> Items { get; set; } = []; }
            [Message(3)] public struct Place { public float X, Y; }
            [Message(4), MessageUnion(0, typeof(Round))] public interface IShape { }
            [Message(5)] public class Round : IShape { public double Radius { get; set; } }
            public abstract class Named { public int Id { get; } protected Named(int id) => Id = id; }
        }
        """;

    [Fact]
    public void Messages_of_another_assembly_are_members_like_any_others()
    {
        var lower = GeneratorRunner.Emit(GeneratorRunner.Compile(Lower, name: "Lower"));
        var code = Sources.Running(
            """$"{Value.Item!.Name} {Value.Bags![0].Items[0].Id} {Value.Places![1].Y} {((Lower.Round)Value.Shape!).Radius} {Trip(new Derived(7, 8)).Id}" """,
            """
            [Message(10)] public class Upper
            {
                public Lower.Item? Item { get; set; }
                public List<Lower.Bag>? Bags { get; set; }
                public Lower.Place[]? Places { get; set; }
                public Lower.IShape? Shape { get; set; }
            }
            [Message(11, Pooled = true)] public class Upmost { public Lower.Bag? Bag { get; set; } }
            [Message(12)] public class Derived : Lower.Named { public int More { get; } public Derived(int id, int more) : base(id) => More = more; }
            """).Replace("private static T Trip", """
            private static readonly Upper Value = Trip(new Upper
            {
                Item = new(1, "one"),
                Bags = [new Lower.Bag { Items = [new(2, "two")] }],
                Places = [default, new() { Y = 3 }],
                Shape = new Lower.Round { Radius = 4 },
            });
            private static T Trip
            """);

        var upper = GeneratorRunner.Emit(GeneratorRunner.Compile(code, name: "Higher", references: MetadataReference.CreateFromImage(lower)));
        Assert.Equal("one 2 3 4 7", GeneratorRunner.Run(lower, upper));
    }

    [Fact]
    public void A_message_that_was_compiled_without_the_generator_is_refused()
    {
        var lower = MetadataReference.CreateFromImage(GeneratorRunner.Emit(GeneratorRunner.Create(Lower, name: "Lower")));

        Assert.Empty(Generate("[Message(10)] public class Upper { public Lower.Item? Item; }", lower));
        Assert.Empty(Generate("[Message(10)] public class Upper { public List<Lower.Place>? Places; }", lower));
    }

    [Fact]
    public void Message_of_the_library_has_an_internal_serializer_and_is_refused_as_a_member_elsewhere()
    {
        Assert.Contains(Generate("[Message(0xFFFEFFFF)] public class Own { public int A { get; set; } }"), static code => code.Contains("public sealed class OwnSerializer", StringComparison.Ordinal));
        Assert.Contains(Generate("[Message(0xFFFF0000)] public class Own { public int A { get; set; } }"), static code => code.Contains("internal sealed class OwnSerializer", StringComparison.Ordinal));
        Assert.Empty(Generate("[Message(10)] public class Upper { public Reloaded.Messaging.Hosting.HostInspection? Inspection { get; set; } }"));
    }

    [Theory]
    [InlineData("public struct Plain { public int A; public int B; }", true)]
    [InlineData("public struct Plain { private int A; internal readonly int B; }", true)]
    [InlineData("[System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Sequential, Pack = 1)] public struct Plain { public byte A; public int B; }", true)]
    [InlineData("public struct Plain { private byte A; public int B; }", false)]
    [InlineData("[System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Auto)] public struct Plain { public int A; public int B; }", false)]
    [InlineData("[System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Sequential, Size = 16)] public struct Plain { public int A; public int B; }", false)]
    [InlineData("[System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Explicit)] public struct Plain { [System.Runtime.InteropServices.FieldOffset(0)] public int A; [System.Runtime.InteropServices.FieldOffset(0)] public int B; }", false)]
    public void A_plain_struct_of_another_assembly_is_as_good_as_one_of_this(string code, bool isPlain)
    {
        const string Upper = "[Message(10)] public class Upper { public Plain Plain; }";
        var lower = MetadataReference.CreateFromImage(GeneratorRunner.Emit(GeneratorRunner.Create(code, name: "Lower")));

        Assert.Equal(isPlain, Generate(Upper, lower).Length > 0);
        Assert.Equal(isPlain, Generate(Upper + code).Length > 0);
    }

    private static string[] Generate(string code, params MetadataReference[] references) =>
        [.. GeneratorRunner.Driver().RunGenerators(GeneratorRunner.Create(Sources.Usings + code, LanguageVersion.Latest, "Upper", references)).GetRunResult().GeneratedTrees.Select(static tree => tree.ToString())];

    [Fact]
    public async System.Threading.Tasks.Task A_type_behind_an_extern_alias_is_refused()
    {
        var lower = GeneratorRunner.Emit(GeneratorRunner.Compile(Lower, name: "Lower"));
        var aliased = MetadataReference.CreateFromImage(lower, new MetadataReferenceProperties(aliases: ["low"]));
        var code = GeneratorRunner.Create("extern alias low;\n" + Sources.Usings + "[Message] public class M { public List<low::Lower.Place>? A; }", LanguageVersion.Latest, "Upper", aliased);
        GeneratorRunner.Driver().RunGeneratorsAndUpdateCompilation(code, out var output, out _, TestContext.Current.CancellationToken);

        Assert.Empty(output.GetDiagnostics(TestContext.Current.CancellationToken).Where(static one => one.Severity == DiagnosticSeverity.Error));
        Assert.Equal("RM1003", Assert.Single(await code.WithAnalyzers([new Reloaded.Messaging.Generators.Analyzers.MessageContractAnalyzer()]).GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken)).Id);
    }
}
