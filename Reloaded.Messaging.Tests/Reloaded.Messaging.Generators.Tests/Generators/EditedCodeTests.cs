using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Generators;
using Reloaded.Messaging.Generators.Parsing;
using Reloaded.Messaging.Tests.Schemas;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>A session in an editor: whatever was typed before, the generated files are those of a build of the same code.</summary>
public sealed class EditedCodeTests
{
    private const string Types = Sources.Usings + """
        public static class Limits { public const int Most = 3; public static int Read() { return 4; } public static string Name => "n"; }
        public enum Kind : byte { A = 1, B = Limits.Most }
        public struct Cell { public int X, Y; public Kind Kind; }
        """;

    private const string Messages = Sources.Usings + """
        [assembly: GenericMessage(typeof(Page<string>), 12)]
        /// <summary>A player.</summary>
        [Message(1)] public partial class Player
        {
            private int _level;
            public Player() { _level = Limits.Most; Name = "none"; }
            /// <summary>The name.</summary>
            public string Name { get; set; } = "x";
            public int Level { get => _level; set { _level = value; } }
            public List<Cell>? Cells { get; set; }
            [Secret] public byte[]? Key { get; set; }
            public Page<int> Page { get; set; } = new(new());
        }
        [Message] public record Page<T>(List<T> Items);
        [Message(3, VersionTolerant = true)] public record V([MessageField(2)] Cell A, [MessageField(1, FormerName = "X")] string B = "x", [MessageField(3)] int C = Limits.Most);
        [Message(4), MessageUnion(0, typeof(K))] public interface U { }
        [Message(5)] public readonly record struct K(HashSet<Cell> A, decimal? B = 3) : U;
        """;

    private const string Others = Sources.Usings + """
        public partial class Player { public string Describe() { var text = Name; return text + Level; } public override string ToString() => Describe(); }
        [Reloaded.Messaging.Hosting.MessageService] public interface IGame { System.Threading.Tasks.Task<int> JoinAsync(Player player, int place = 3); event Action<V> Raised; }
        public static class Program { public static void Main() { Console.WriteLine(new Player { Name = "y" }.Describe()); } }
        """;

    private static readonly string[] s_typed =
    [
        "int ", "string? ", "7", ";", "}", "{ ", "static ", "partial ", " = 4", "?", "[Secret] ", "[MessageIgnore] ", "public int Z { get; set; } ", "const int N = 5; ", "using System; ",
        "// x\n", "/// <summary>Y.</summary>\n", "/* /// <summary>Z.</summary>\n*/", "\n#nullable disable\n", "\n#if A\n", "\n#endif\n", "  ", "\n",
    ];

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, Extent.Of(3, 8, 100))];

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Generated_files_are_those_of_a_new_compilation(int seed)
    {
        const int Edits = 25;
        var random = new Random(seed);
        string[] sources = [Types, Messages, Others];
        string[] texts = [.. sources];
        var compilation = Create(texts);
        GeneratorDriver driver = NewDriver().RunGenerators(compilation);
        for (var edit = 0; edit < Edits; edit++)
        {
            var file = random.Next(texts.Length);
            texts[file] = Edit(random.Next(3) == 0 ? texts[file] : sources[file], random);
            compilation = compilation.ReplaceSyntaxTree(compilation.SyntaxTrees[file], GeneratorRunner.Parse(texts[file]));
            driver = driver.RunGenerators(compilation);

            var expected = FilesOf(NewDriver().RunGenerators(Create(texts)));
            var actual = FilesOf(driver);
            Assert.True(expected.SequenceEqual(actual), $"Edit {edit} of seed {seed}: {string.Join("\n", actual.Except(expected).Select(static one => one.Text))}\ninstead of\n{string.Join("\n", expected.Except(actual).Select(static one => one.Text))}\nof\n{texts[file]}");
        }
    }

    [Theory]
    [InlineData("return 4;", "return 5;", true)]
    [InlineData("=> Describe();", "=> Describe() + 1;", true)]
    [InlineData("public enum", "// a comment\npublic enum", true)]
    [InlineData("public enum", "public  enum", true)]
    [InlineData("Console.WriteLine", "Console.Write", true)]
    [InlineData("= 3;", "= 4;", false)]
    [InlineData("= Limits.Most;", "= 5;", false)]
    [InlineData("A player.", "A person.", false)]
    [InlineData("public struct", "#nullable disable\npublic struct", false)]
    [InlineData("[Secret] ", "", false)]
    [InlineData("int place = 3", "int place = 4", false)]
    [InlineData("=> \"n\"", "=> \"m\"", false)]
    public void Types_are_read_again_after_edits_that_may_change_them(string text, string edited, bool isSame)
    {
        var before = Create([Types, Messages, Others]);
        var after = before;
        foreach (var tree in before.SyntaxTrees)
            after = after.ReplaceSyntaxTree(tree, GeneratorRunner.Parse(tree.ToString().Replace(text, edited, StringComparison.Ordinal)));

        var first = ParsedTypes.Of(before);
        Assert.NotEqual(before.SyntaxTrees.Select(static tree => tree.ToString()), after.SyntaxTrees.Select(static tree => tree.ToString()));
        Assert.Equal(isSame, first == ParsedTypes.Of(after));
    }

    [Fact]
    public void Types_are_read_again_with_other_references_and_in_other_projects()
    {
        var before = Create([Types, Messages, Others]);
        var first = ParsedTypes.Of(before);

        Assert.NotSame(first, ParsedTypes.Of(Create([Types, Messages, Others])));
        Assert.NotSame(first, ParsedTypes.Of(before.RemoveReferences(before.References.First())));
        Assert.NotSame(first, ParsedTypes.Of(before.WithAssemblyName("Other")));
        Assert.NotSame(first, ParsedTypes.Of(before.RemoveSyntaxTrees(before.SyntaxTrees[2])));
    }

    private static string Edit(string text, Random random)
    {
        var tokens = GeneratorRunner.Parse(text).GetRoot().DescendantTokens().ToList();
        var token = tokens[random.Next(tokens.Count)];
        var alike = tokens.FindAll(other => other.RawKind == token.RawKind);
        return random.Next(4) switch
        {
            0 => text.Remove(token.SpanStart, token.Span.Length),
            1 => text.Insert(random.Next(2) == 0 ? token.SpanStart : token.Span.End, s_typed[random.Next(s_typed.Length)]),
            _ => text.Remove(token.SpanStart, token.Span.Length).Insert(token.SpanStart, alike[random.Next(alike.Count)].Text), // the code still compiles, and means something else
        };
    }

    private static CSharpCompilation Create(IEnumerable<string> texts) =>
        GeneratorRunner.Create("").RemoveAllSyntaxTrees().AddSyntaxTrees(texts.Select(static text => GeneratorRunner.Parse(text)));

    private static CSharpGeneratorDriver NewDriver() => CSharpGeneratorDriver.Create(
        [new MessageGenerator().AsSourceGenerator()],
        parseOptions: new CSharpParseOptions(LanguageVersion.Latest),
        optionsProvider: new BuildProperties("build_property.MessageSchemaFile", "contracts.schema.json"));

    private static List<(string Name, string Text)> FilesOf(GeneratorDriver driver) =>
        [.. driver.GetRunResult().Results.Single().GeneratedSources.Select(static source => (source.HintName, source.SourceText.ToString())).Order()];
}
