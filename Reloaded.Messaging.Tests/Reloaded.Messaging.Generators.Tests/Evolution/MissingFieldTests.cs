using System.Collections.Concurrent;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Text.Json;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Schemas;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>A message of any form whose sender is older has the values that plain C# gives to the members that were not sent. The schema has these values, or says that code computes them.</summary>
public sealed class MissingFieldTests
{
    private const int Shapes = 16;

    private const string Usings = "#pragma warning disable\nusing System;\nusing System.Collections.Generic;\nusing System.Linq;\nusing Reloaded.Messaging;\n";

    private const string Support = """
        [assembly: MessageConverter(typeof(Ranks))]
        public enum Rank { Low, Middle, High }
        public static class Ranks
        {
            public static string ToSurrogate(Rank value) => value.ToString();
            public static bool TryFromSurrogate(string surrogate, out Rank value) => Enum.TryParse(surrogate, out value);
        }
        public static class Num
        {
            public const int Four = 4;
            public static int Five() => 5;
            public static string Text() => "text";
            public static List<int> List => [4];
        }
        [Message(999)] public class Part { public int A = 2; }
        """;

    private const string Program = """
        public static partial class Test
        {
            private static readonly System.Text.StringBuilder s_lines = new();

            private static void Add(string line) => s_lines.Append(line).Append('\n');

            private static byte[] Field<T>(T value)
            {
                using var packed = new MessageWriter().Pack(value);
                return packed.Span.Slice(1).ToArray(); // without the header
            }

            private static string Read<T>(Func<T, string> show, params byte[][] fields) =>
                MessageContract.GetDeclared<T>().Serializer.TryDeserialize(fields.SelectMany(static field => field).ToArray(), out var value) ? show(value) : "The payload is malformed.";

            private static string Text(object value, bool isNullable) => value switch
            {
                null => isNullable ? "null" : "null or empty",
                string { Length: 0 } when !isNullable => "null or empty",
                System.Collections.Immutable.ImmutableArray<int> { IsDefault: true } => "null or empty",
                IReadOnlyCollection<int> { Count: 0 } when !isNullable => "null or empty",
                Dictionary<string, int> { Count: 0 } map when map.Comparer.Equals("a", "b") == map.Comparer.Equals("a", "A") => "null or empty",
                Dictionary<string, int> map => map.Count == 0 ? "empty, ignores case" : string.Join(",", map.Select(static one => $"{one.Key}:{one.Value}")),
                IEnumerable<int> list => $"[{string.Join(",", list)}]",
                char letter => $"{(int)letter}",
                Part part => $"<{part.A}>",
                Enum number => $"{Convert.ToInt32(number)}",
                _ => FormattableString.Invariant($"{value}"),
            };
        }
        """;

    private static readonly ConcurrentDictionary<int, Lazy<Outcome>> s_outcomes = new();

    public static TheoryData<int> Seeds => [1, 2, Environment.TickCount & 0xFFFFFF];

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Field_that_was_not_sent_has_the_value_that_plain_code_gives_it(int seed)
    {
        var outcome = Run(seed);

        Assert.NotEmpty(outcome.Read);
        Assert.All(outcome.Read, line => Assert.True(line[2] == line[3], $"Seed {seed}: {line[1]} were sent: expected {line[2]}, read {line[3]}, of {outcome.Shapes[int.Parse(line[0], CultureInfo.InvariantCulture)].Source}"));
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Schema_has_the_value_of_a_missing_field_or_says_that_code_computes_it(int seed)
    {
        var outcome = Run(seed);
        var contracts = JsonDocument.Parse(SchemaRunner.Write("#pragma warning disable\n" + outcome.Messages)).RootElement.GetProperty("contracts").EnumerateArray().ToDictionary(static one => one.GetProperty("name").GetString()!);

        for (var i = 0; i < Shapes; i++)
        {
            var shape = outcome.Shapes[i];
            var fields = contracts[$"T{i}"].GetProperty("fields").EnumerateArray().ToList();
            Assert.Equal(shape.Members.Select(static member => member.Name), fields.Select(static field => field.GetProperty("name").GetString()));
            for (var k = 0; k < fields.Count; k++)
            {
                if (fields[k].TryGetProperty("computed", out _))
                    continue;
                var (expected, actual) = (fields[k].TryGetProperty("default", out var value) ? Shown(value) : shape.Members[k].Type.Zero, outcome.New[i][k + 1]);
                Assert.True(Normal(expected) == Normal(actual), $"Seed {seed}: {shape.Members[k].Name}: the schema has {expected}, a new instance has {actual}, of {shape.Source}");
            }
        }

        static string Shown(JsonElement value) => value.ValueKind switch
        {
            JsonValueKind.String => value.GetString()!,
            JsonValueKind.True => "True",
            JsonValueKind.False => "False",
            _ => value.GetRawText(),
        };

        static string Normal(string shown) => shown is "" or "[]" or "{}" or "empty, ignores case" ? "null or empty" : shown;
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task Shape_is_not_reported(int seed)
    {
        var reported = await Run(seed).Compilation.WithAnalyzers([new MessageContractAnalyzer()]).GetAnalyzerDiagnosticsAsync(TestContext.Current.CancellationToken);

        Assert.Equal((seed, ""), (seed, string.Join('\n', reported)));
    }

    private static Outcome Run(int seed) => s_outcomes.GetOrAdd(seed, static seed => new(() =>
    {
        var random = new Random(seed);
        var shapes = Enumerable.Range(0, Shapes).Select(i => new RandomShape($"T{i}", random)).ToList();
        var messages = Support + string.Concat(shapes.Select(static shape => "\n" + shape.Source));
        var compilation = GeneratorRunner.Compile(Usings + messages + "\n" + Program + Checks(shapes));
        var lines = GeneratorRunner.Run(GeneratorRunner.Emit(compilation)).Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => line.Split('|')).ToList();
        return new Outcome(shapes, messages, compilation, lines.FindAll(static line => line[0].Length > 0), lines.FindAll(static line => line[0].Length == 0));
    })).Value;

    /// <summary>Writes the values of a new instance of each message; and for each older sender, what plain C# makes of the sent values and what the message's serializer reads.</summary>
    private static string Checks(List<RandomShape> shapes)
    {
        var senders = new Dictionary<(string Type, int? Number), int>();
        var code = new StringBuilder("public static partial class Test {\n");
        var run = new StringBuilder();
        for (var i = 0; i < shapes.Count; i++)
        {
            var shape = shapes[i];
            code.Append(CultureInfo.InvariantCulture, $"private static string Show(T{i} value) => string.Join(' ', {string.Join(", ", shape.Members.Select(Shown))});\n");
            code.Append(CultureInfo.InvariantCulture, $"private static void Run{i}() {{\nvar value = {shape.Create([])};\n");
            code.Append(CultureInfo.InvariantCulture, $"Add(\"|\" + string.Join('|', {string.Join(", ", shape.Members.Select(Shown))}));\n");
            foreach (var sent in shape.Senders())
            {
                var names = string.Concat(sent.Select(static member => member.Name));
                var fields = sent.Select(member => $"Field(new S{SenderOf(member)} {{ V = {member.Sent} }})");
                code.Append(CultureInfo.InvariantCulture, $"Add($\"{i}|{names}|{{Show({shape.Create(sent)})}}|{{Read<T{i}>({string.Join(", ", fields.Prepend("Show"))})}}\");\n");
            }

            code.Append("}\n");
            run.Append(CultureInfo.InvariantCulture, $"Run{i}(); ");
        }

        code.Append(CultureInfo.InvariantCulture, $"public static string Run() {{ {run} return s_lines.ToString(); }}\n}}\n");
        foreach (var ((type, number), index) in senders)
            code.Append(CultureInfo.InvariantCulture, $"[Message({index + 1}{(number is null ? "" : ", VersionTolerant = true")})] public class S{index} {{ {(number is null ? "" : $"[MessageField({number})] ")}public {type} V; }}\n");
        return code.ToString();

        int SenderOf(ShapeMember member)
        {
            if (!senders.TryGetValue((member.Type.Name, member.Number), out var index))
                senders.Add((member.Type.Name, member.Number), index = senders.Count);
            return index;
        }
    }

    private static string Shown(ShapeMember member) => $"Text(value.{member.Name}, {(member.Type.Name.EndsWith('?') ? "true" : "false")})";

    /// <summary>The results of random shapes.</summary>
    /// <param name="Shapes">The shapes.</param>
    /// <param name="Messages">Their source.</param>
    /// <param name="Compilation">The compilation with the generated code.</param>
    /// <param name="Read">For each shape and each sender: the number of the shape, the fields that were sent, the value in plain C#, and the value that was read.</param>
    /// <param name="New">For each shape: an empty text, and the values of a new instance.</param>
    private sealed record Outcome(List<RandomShape> Shapes, string Messages, CSharpCompilation Compilation, List<string[]> Read, List<string[]> New);
}
