using System;
using System.Linq;
using System.Text.Json;
using Xunit;

namespace Reloaded.Messaging.Tests.Schemas;

public sealed class SchemaWriterTests
{
    [Fact]
    public void Schema_has_ids_names_versions_and_kinds_in_the_order_of_ids()
    {
        var contracts = Read("""
            namespace Game;
            [Message(9, Version = 3)] public record Last(int A);
            [Message(2, VersionTolerant = true)] public record Loose([property: MessageField(7)] string B);
            [Message(1)] public record struct First(float X);
            """);

        Assert.Equal(
            ["1 Game.First message True 1", "2 Game.Loose tolerant False 1", "9 Game.Last message False 3"],
            contracts.EnumerateArray().Select(static one => $"{one.GetProperty("id")} {one.GetProperty("name")} {one.GetProperty("kind")} {one.GetProperty("struct")} {one.GetProperty("version")}"));
    }

    [Fact]
    public void Service_has_a_contract_for_each_request_reply_and_event()
    {
        var contracts = Read("""
            namespace Game;
            [Reloaded.Messaging.Hosting.MessageService]
            public interface IMods
            {
                System.Threading.Tasks.Task<int> CountAsync(bool loadedOnly = true, System.Threading.CancellationToken token = default);
                [Reloaded.Messaging.Hosting.MessageId(3)] System.Threading.Tasks.Task<Mod> FindAsync(string id);
                event Action<Mod> Loaded;
            }
            [Message(1)] public record Mod(string Id);
            """);

        Assert.Equal(
            ["Game.IMods.CountAsync(loadedOnly:b)", "Game.IMods.CountAsync.Reply(Result:i4)", "Game.IMods.FindAsync(id:s)", "Game.IMods.Loaded(value:m1)", "Game.Mod(Id:s)"],
            contracts.EnumerateArray()
                .Select(static one => $"{one.GetProperty("name")}({string.Join(", ", one.GetProperty("fields").EnumerateArray().Select(static field => $"{field.GetProperty("name")}:{field.GetProperty("type")}"))})")
                .Order(StringComparer.Ordinal));
        Assert.Equal("true", contracts.EnumerateArray().Single(static one => one.GetProperty("name").GetString() == "Game.IMods.CountAsync").GetProperty("fields")[0].GetProperty("default").GetRawText());
    }

    [Theory]
    [InlineData("string", "s")]
    [InlineData("string?", "s?")]
    [InlineData("int?", "?i4")]
    [InlineData("List<string?>?", "[s?]?")]
    [InlineData("string[]", "[s]")]
    [InlineData("Dictionary<string, List<int?>>?", "{s:[?i4]}?")]
    [InlineData("Vector3", "(f4f4f4)")]
    [InlineData("(string?, int?, List<string>)", "(s?:?i4:[s])")]
    [InlineData("(Vector3, bool)", "((f4f4f4):b)")]
    [InlineData("HashSet<string?>?", "[s?]?")]
    [InlineData("IReadOnlyList<Uri>", "[s]")]
    [InlineData("System.Collections.Immutable.ImmutableArray<int>", "[i4]")]
    [InlineData("ReadOnlyMemory<byte>?", "?[u1]")]
    [InlineData("Version?", "s?")]
    [InlineData("Other?", "m5?")]
    [InlineData("Other", "m5")]
    [InlineData("DayOfWeek", "i4")]
    public void Field_has_its_code_with_the_references_that_may_be_null(string type, string expected)
    {
        var field = Field($"[Message(1)] public record One({type} Value); [Message(5)] public record Other;");

        Assert.Equal(expected, field.GetProperty("type").GetString());
        Assert.Equal(expected.Replace("s?", "s").Replace("]?", "]").Replace("}?", "}").Replace("m5?", "m5"), field.GetProperty("code").GetString());
    }

    [Theory]
    [InlineData("public record One(int Value = 5)", "5")]
    [InlineData("public record One(string Value = \"a\\\"ß\")", "\"a\\\"ß\"")]
    [InlineData("public record One(long Value = 5)", "\"5\"")]
    [InlineData("public record One(char Value = 'a')", "97")]
    [InlineData("public record One(bool Value = true)", "true")]
    [InlineData("public record One(DayOfWeek Value = DayOfWeek.Friday)", "5")]
    [InlineData("public record One(double? Value = 1.5)", "1.5")]
    [InlineData("public class One { public string Value { get; set; } = \"red\"; }", "\"red\"")]
    [InlineData("public class One { public ulong Value = 7; }", "\"7\"")]
    [InlineData("public class One { public int Value { get; set; } = Environment.ProcessorCount; }", null)]
    [InlineData("public record One(int Value)", null)]
    [InlineData("public record struct One(int Value = 5)", null)] // sent as its own bytes: what is missing is zero
    public void Field_has_its_default_where_that_is_a_constant(string type, string? expected)
    {
        var field = Field($"[Message(1)] {type}{(type.EndsWith('}') ? "" : ";")}");

        Assert.Equal(expected, field.TryGetProperty("default", out var value) ? value.GetRawText() : null);
    }

    [Fact]
    public void Union_has_the_tags_and_names_of_its_types()
    {
        var union = Read("""
            [Message(1), MessageUnion(7, typeof(B)), MessageUnion(0, typeof(A))] public abstract record Union;
            [Message(2)] public record A : Union;
            [Message(3)] public record B : Union;
            """)[0];

        Assert.Equal("union", union.GetProperty("kind").GetString());
        Assert.Equal(["0 A m2", "7 B m3"], union.GetProperty("fields").EnumerateArray().Select(static one => $"{one.GetProperty("number")} {one.GetProperty("name")} {one.GetProperty("type")}"));
    }

    [Fact]
    public void Compressor_has_its_full_name() => Assert.Equal(
        "Reloaded.Messaging.BrotliCompressor",
        Read("[Message(1, Compressor = typeof(BrotliCompressor))] public record One;")[0].GetProperty("compressor").GetString());

    [Fact]
    public void Schema_does_not_depend_on_the_order_of_files() => Assert.Equal(
        SchemaRunner.Write("[Message(1)] public record A(int X);", "[Message(2)] public record B(A? Y);"),
        SchemaRunner.Write("[Message(2)] public record B(A? Y);", "[Message(1)] public record A(int X);"));

    private static JsonElement Field(string source) => Read(source)[0].GetProperty("fields")[0];

    private static JsonElement Read(string source) => JsonDocument.Parse(SchemaRunner.Write(source)).RootElement.GetProperty("contracts");
}
