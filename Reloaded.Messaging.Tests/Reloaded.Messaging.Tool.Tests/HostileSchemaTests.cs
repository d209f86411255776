using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Tool;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>A schema of another program is data: any text in it is refused, or is a name, a value or a comment of the exported code, and never more code.</summary>
public sealed class HostileSchemaTests : IDisposable
{
    private const int Seed = 1;
    private const int RandomTexts = 12;

    /// <summary>A contract of each kind, with a text at each place that a schema has.</summary>
    private const string Sample = """
        {
          "format": 2,
          "assembly": "Game",
          "contracts": [
            {
              "id": 5, "name": "Game.Move", "kind": "message", "struct": false, "version": 1, "serializer": "binary", "compressor": "Game.Zip", "compressorName": "zip", "compressionThreshold": 16,
              "role": "request", "reply": 6, "service": "Game.IService", "documentation": "A move.", "obsolete": "Use Walk.", "layout": "o;X i4",
              "fields": [
                { "number": 1, "name": "X", "type": "i4", "code": "i4", "declared": "int32", "default": 3, "shape": "0000000000000001", "documentation": "The place.", "obsolete": "Use Y." },
                { "number": 2, "name": "Text", "type": "s", "code": "s", "declared": "string", "default": "none", "shape": "0000000000000002" },
                { "number": 3, "name": "Side", "type": "i4", "code": "i4", "declared": "Game.Side", "default": 1, "shape": "0000000000000003" },
                { "number": 4, "name": "Price", "type": "d", "code": "d", "declared": "decimal", "default": "1.50", "shape": "0000000000000004" },
                { "number": 5, "name": "Rate", "type": "f4", "code": "f4", "declared": "float32", "default": 0.5, "shape": "0000000000000005" },
                { "number": 6, "name": "Large", "type": "?u8", "code": "?u8", "declared": "uint64?", "default": "7", "shape": "0000000000000006" },
                { "number": 7, "name": "Letter", "type": "c2", "code": "c2", "declared": "char", "default": 120, "shape": "0000000000000007" },
                { "number": 8, "name": "Flag", "type": "b", "code": "b", "declared": "bool", "default": true, "shape": "0000000000000008" },
                { "number": 9, "name": "Place", "type": "(f4f4)", "code": "(f4f4)", "declared": "Game.Place", "shape": "0000000000000009" },
                { "number": 10, "name": "Pair", "type": "(i4:s?)", "code": "(i4:s)", "declared": "(Left int32, Right string?)", "shape": "000000000000000A" },
                { "number": 11, "name": "Map", "type": "{s:[m6?]}", "code": "{s:[m6]}", "declared": "dictionary<string, list<Game.Part?>>", "shape": "000000000000000B" },
                { "number": 12, "name": "Huge", "type": "i16", "code": "i16", "declared": "int128", "default": "-5", "shape": "000000000000000C" },
                { "number": 13, "name": "Length", "type": "ts", "code": "ts", "declared": "timespan", "shape": "000000000000000D" }
              ]
            },
            { "id": 6, "name": "Game.Part", "kind": "tolerant", "struct": false, "version": 1, "compressor": null, "role": "reply", "layout": "n;1 i4", "fields": [ { "number": 1, "name": "A", "type": "i4", "code": "i4", "declared": "int32", "shape": "0000000000000001" } ] },
            { "id": 7, "name": "Game.Any", "kind": "union", "struct": false, "version": 1, "compressor": null, "role": "event", "layout": "u;0 @6", "fields": [ { "number": 0, "name": "Game.Part", "type": "m6", "code": "m6", "declared": "Game.Part", "shape": "0000000000000001" } ] }
          ],
          "types": [
            { "name": "Game.Side", "kind": "enum", "code": "i4", "documentation": "A side.", "flags": false, "members": [ { "name": "Left", "value": 0 }, { "name": "Right", "value": 1, "documentation": "The right." } ] },
            { "name": "Game.Rights", "kind": "enum", "code": "u8", "flags": true, "members": [ { "name": "Read", "value": "1" } ] },
            { "name": "Game.Place", "kind": "struct", "code": "(f4f4)", "documentation": "A place.", "layout": "(X f4,Y f4)" }
          ]
        }
        """;

    private static readonly Regex s_token = new("""\G(?:(?<space>[ \r\n]+)|(?<comment>/\*[\s\S]*?\*/|//[^\r\n\u2028\u2029]*)|(?<string>"(?:[^"\\\r\n\u2028\u2029]|\\[^\r\n\u2028\u2029])*")|(?<name>[\p{L}_][\p{L}\p{Nd}_]*)|(?<number>[0-9][0-9A-Za-z.+-]*)|(?<sign>[!-/:-@\[-`{-~]))""", RegexOptions.Compiled);
    private static readonly Regex s_pythonToken = new("""\G(?:(?<space>[ \r\n]+)|(?<comment>#[^\r\n\u2028\u2029]*)|(?<string>"{3}(?:[^"\\\r\n\u2028\u2029]|\\[^\r\n\u2028\u2029])*"{3}|"(?:[^"\\\r\n\u2028\u2029]|\\[^\r\n\u2028\u2029])*")|(?<name>[\p{L}_][\p{L}\p{Nd}_]*)|(?<number>[0-9][0-9A-Za-z.+-]*)|(?<sign>[!-/:-@\[-`{-~]))""", RegexOptions.Compiled);

    private static readonly Lazy<List<(string Text, string Place, Schema Schema, SchemaSource Original)>> s_accepted = new(ReadAll);

    private static readonly string[] s_texts =
    [
        "x\u2028public class Pwned { }", "x\u2029public class Pwned { }", "x\u0085public class Pwned { }", "x\npublic class Pwned { }", "x\r\n#include \"/etc/hostname\"", "x\n#define pwned 1",
        "*/ int pwned; /*", "**//int pwned;", "x\"\"\"\nimport os\n\"\"\"", "\"\"\"", "'''", "\\", "x\\", "\\\n", "??/", "x??/\nint pwned;", "\"; int pwned; //", "</summary>", "]]>", "x\0", "\u202Ex\u2066", "\uFEFF",
        "x = 1\n    pwned: int = 2", "0\n    pwned = print(1)", "0; pwned()", "__import__('os').system('true')", "0m; public int Pwned = 0", "1 }; export const pwned = 1; {", "x;}export const pwned=1;interface y{a", "${pwned}", "`", "'", "\"", "#", "//",
        "", " ", "a b", "1x", "A..B", ".A", "A.", "A<int>.B", "A<B", "A-B", "999999999999999999999999999999999999999", "\ud800", "😀",
        "class", "None", "@class", "Namespace.@class", "default", "function", "Über", "_", "__init__", "(X f4; int pwned,Y f4)", "(X f4<A=\n>,Y f4)", "(Left int32, Right*/ string?)", "(Left int32, Right string?)\n",
    ];

    private static readonly string[] s_fragments = ["\n", "\r", "\u2028", "\u2029", "\u0085", "\"", "'", "\\", "*/", "/*", "//", "#", "\"\"\"", "`", "${", "}", "{", ";", "=", "(", ")", "<", ">", ",", ".", " ", "\t", "?", "??/", "pwned", "class", "int", "import os", "A", "1", "_", "@", "é", "\u200D", "\u202E", "\0", "\u001B", "\uD83D", "\uDE00"];

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("\"name\": \"X\"", "\"name\": \"X\\n = 1\"", "A field of Game.Move has the name 'X  = 1'. A name has letters, digits and underscores, in parts that dots separate.")]
    [InlineData("\"name\": \"Game.Any\"", "\"name\": \"Game.Any; \"", "A contract has the name 'Game.Any; '.")]
    [InlineData("\"name\": \"Left\"", "\"name\": \"Left.Right\"", "A member of Game.Side has the name 'Left.Right'.")]
    [InlineData("\"default\": 3", "\"default\": \"print(1)\"", "Game.Move.X has the type i4 and the default \"print(1)\", which is not a constant of this type.")]
    [InlineData("\"default\": 3", "\"default\": 3e0", "Game.Move.X has the type i4 and the default 3e0,")]
    [InlineData("\"default\": 3", "\"default\": null", "Game.Move.X has the type i4 and the default null,")]
    [InlineData("\"default\": \"1.50\"", "\"default\": \"1.50m; int x\"", "Game.Move.Price has the type d and the default")]
    [InlineData("\"default\": 0.5", "\"default\": 1e300", "Game.Move.Rate has the type f4 and the default 1e300,")]
    [InlineData("\"default\": \"none\"", "\"default\": \"\\ud800\"", "Game.Move.Text has the type s and the default \"\\ud800\",")]
    [InlineData("\"default\": \"7\"", "\"default\": \"-7\"", "Game.Move.Large has the type u8 and the default \"-7\",")]
    [InlineData("\"value\": 1", "\"value\": 2147483648", "Game.Side.Right is 2147483648, which is out of range of i4.")]
    [InlineData("\"kind\": \"tolerant\"", "\"kind\": \"other\"", "Game.Part has the kind 'other', which must be message, tolerant or union.")]
    [InlineData("\"layout\": \"(X f4,Y f4)\"", "\"layout\": \"(X f4,Y s)\"", "Game.Place.Y has the type 's', which is no type of a fixed size.")]
    public async Task Schema_that_is_no_schema_names_the_place(string right, string wrong, string expected)
    {
        var file = Path.Combine(_folder.FullName, "game.schema.json");
        Assert.Contains(right, Sample, StringComparison.Ordinal);
        File.WriteAllText(file, Sample.Replace(right, wrong, StringComparison.Ordinal));

        var tool = await Tool.RunAsync("decode", "05", "--schema", file);

        Assert.Equal((2, ""), (tool.ExitCode, tool.Output));
        Assert.StartsWith($"{file} is not a schema of contracts: {expected}", tool.Error, StringComparison.Ordinal);
        Assert.EndsWith("Write it by 'dotnet build -p:WriteMessageSchema=true'.\n", tool.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Names_of_the_build_are_names()
    {
        foreach (var name in new[] { "Move", "Game.Move", "Game.IService.Ask.Reply", "G.@event.@enum", "Über.Größe_1", "G.Outer<int>.State", "G.Outer<int[,]>.State", "G.@event.Pair<(int, string), System.Collections.Generic.Dictionary<string, int?>>.State" })
            Assert.True(SchemaName.IsFull(name), name);
        foreach (var name in new[] { "", ".", "A.", ".A", "A..B", "1", "A.1", "A@", "@@A", "A<int", "A<int>>", "<A>", "A<\n>", "A<\">", "A\n", "A\u200Db", "A B", "A<B;>" })
            Assert.False(SchemaName.IsFull(name), name);
    }

    [Fact]
    public void CSharp_declares_no_more()
    {
        foreach (var one in Exports("csharp2"))
            one.Compare(static code =>
            {
                var tree = CSharpSyntaxTree.ParseText(code, new CSharpParseOptions(LanguageVersion.CSharp7_3));
                Assert.Empty(tree.GetDiagnostics());
                return tree.GetRoot().DescendantTokens().Select(static token => (token.Kind().ToString(), token.IsKind(SyntaxKind.IdentifierToken) ? token.ValueText : null));
            });
    }

    [Theory]
    [InlineData("c")]
    [InlineData("typescript")]
    [InlineData("python")]
    public void Other_languages_declare_no_more(string form)
    {
        foreach (var one in Exports(form))
            one.Compare(code => TokensOf(code, form == "python" ? s_pythonToken : s_token, one.Description));
    }

    [Theory]
    [InlineData("json-schema")]
    [InlineData("asyncapi")]
    public void Json_is_one_document(string form)
    {
        foreach (var one in Exports(form))
            Assert.True(Count(JsonNode.Parse(one.Expected)) == Count(JsonNode.Parse(one.Code)), one.Description);

        static int Count(JsonNode? node) => 1 + (node switch
        {
            JsonObject members => members.Sum(static member => Count(member.Value)),
            JsonArray items => items.Sum(Count),
            _ => 0,
        });
    }

    /// <summary>Exports each schema that was not refused.</summary>
    private static IEnumerable<Export> Exports(string form)
    {
        string? expected = null;
        SchemaSource? harmless = null;
        foreach (var (text, place, schema, original) in s_accepted.Value)
        {
            if (original != harmless)
                (expected, harmless) = (Write(original.Load(), form), original);
            if (Write(schema, form) is { } code && expected is not null && code != expected)
                yield return new Export($"{form} with {JsonSerializer.Serialize(text)} at {place} (seed {Seed})", text, code, expected);
        }
    }

    /// <summary>Writes each text at each place of the sample.</summary>
    /// <returns>The schemas that are not refused, each with the same schema with a harmless text.</returns>
    private static List<(string Text, string Place, Schema Schema, SchemaSource Original)> ReadAll()
    {
        var random = new Random(Seed);
        var accepted = new List<(string, string, Schema, SchemaSource)>();
        var sample = JsonNode.Parse(Sample)!;
        foreach (var place in PlacesOf(sample))
        {
            var original = new SchemaSource(With(place, "harmless"));
            if (original.TryLoad() is null)
                original = new SchemaSource(Sample);
            foreach (var text in s_texts.Concat(Enumerable.Range(0, RandomTexts).Select(_ => string.Concat(random.GetItems(s_fragments, random.Next(1, 6))))))
            {
                if (new SchemaSource(With(place, text)).TryLoad() is { } schema)
                    accepted.Add((text, place, schema, original));
            }
        }

        Assert.InRange(accepted.Count, 500, int.MaxValue);
        return accepted;

        string With(string place, string text)
        {
            var changed = sample.DeepClone();
            var node = place.Split('/').SkipLast(1).Aggregate(changed, static (at, name) => at is JsonArray items ? items[int.Parse(name, null)]! : at[name]!);
            node[place.Split('/')[^1]] = text;
            return changed.ToJsonString();
        }
    }

    /// <returns>The exported code, or <c>null</c> if the schema was refused.</returns>
    private static string? Write(Schema schema, string form)
    {
        try
        {
            return ExportCommand.Export(schema, form, "Messages");
        }
        catch (ToolException e)
        {
            Assert.Equal(ExitCode.InvalidInput, e.ExitCode);
            return null;
        }
    }

    /// <summary>The places of texts and of defaults.</summary>
    private static IEnumerable<string> PlacesOf(JsonNode? node, string path = "") => node switch
    {
        JsonObject members => members.SelectMany(member => PlacesOf(member.Value, path.Length == 0 ? member.Key : $"{path}/{member.Key}")),
        JsonArray items => items.SelectMany((item, i) => PlacesOf(item, $"{path}/{i}")),
        JsonValue value when value.GetValueKind() == JsonValueKind.String || path.EndsWith("/default", StringComparison.Ordinal) || path.EndsWith("/value", StringComparison.Ordinal) => [path],
        _ => [],
    };

    /// <summary>The tokens of a file. A line ends where any of the languages ends it.</summary>
    private static List<(string Kind, string? Name)> TokensOf(string code, Regex token, string description)
    {
        var tokens = new List<(string, string?)>();
        for (var at = 0; at < code.Length;)
        {
            var match = token.Match(code, at);
            Assert.True(match.Success, $"{description}: no token at {JsonSerializer.Serialize(code[at..Math.Min(code.Length, at + 60)])}");
            at += match.Length;
            var kind = match.Groups.Values.Skip(1).Single(static group => group.Success);
            if (kind.Name is "comment")
                Assert.DoesNotMatch("[\\p{Cc}\u2028-\u202E\u2066-\u2069-[\n\t]]", kind.Value);
            if (kind.Name is not ("space" or "comment"))
                tokens.Add((kind.Name == "sign" ? kind.Value : kind.Name is "name" or "string" ? "word" : kind.Name, kind.Name == "name" ? kind.Value : null)); // TypeScript quotes a key that is not ASCII
        }

        return tokens;
    }

    /// <summary>A schema as JSON.</summary>
    private sealed record SchemaSource(string Json)
    {
        public Schema Load() => TryLoad() ?? throw new InvalidOperationException("The schema was refused.");

        public Schema? TryLoad()
        {
            try
            {
                return Schema.Read("contracts.schema.json", Encoding.UTF8.GetBytes(Json));
            }
            catch (ToolException e)
            {
                Assert.Equal(ExitCode.InvalidInput, e.ExitCode);
                return null;
            }
        }
    }

    /// <summary>An export of a hostile schema, and the export of the same schema with a harmless text there.</summary>
    private sealed record Export(string Description, string Text, string Code, string Expected)
    {
        private static readonly ConcurrentDictionary<string, List<(string Kind, string? Name)>> s_expected = [];

        /// <summary>Compares the number of tokens of each kind, and the names: at most the text itself is another name.</summary>
        public void Compare(Func<string, IEnumerable<(string Kind, string? Name)>> read)
        {
            var tokens = read(Code).ToList();
            if (!s_expected.TryGetValue(Expected, out var expected))
                s_expected[Expected] = expected = [.. read(Expected)];
            var (counts, expectedCounts) = (tokens.CountBy(static token => token.Kind).ToHashSet(), expected.CountBy(static token => token.Kind).ToDictionary());
            Assert.True(
                Text.Trim().Length == 0 ? counts.All(one => expectedCounts.GetValueOrDefault(one.Key) >= one.Value) : counts.SetEquals(expectedCounts),
                $"{Description}: {string.Join(" ", tokens.Select(static token => token.Name ?? token.Kind).Except(expected.Select(static token => token.Name ?? token.Kind)))}");
            Assert.All(tokens.Select(static token => token.Name).Except(expected.Select(static token => token.Name)), name => Assert.Contains(Text.Split('.')[^1].Trim('@', '_'), name, StringComparison.Ordinal));
        }
    }
}
