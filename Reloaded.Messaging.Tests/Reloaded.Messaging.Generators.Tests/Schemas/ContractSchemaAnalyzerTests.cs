using System.Globalization;
using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Schemas;

public sealed class ContractSchemaAnalyzerTests
{
    private const string Base = "[Message(1)] public record M(int A, string B, bool C);";

    [Theory]
    [InlineData("[Message(1)] public record M(int A, bool C);", "The field 'B' of 'M' was removed; raise Version, or append")]
    [InlineData("[Message(1)] public record M(int A, string B);", "The field 'C' of 'M' was removed; raise Version, or append")]
    [InlineData("[Message(1)] public record M(int A, string Text, bool C);", "The field 'B' of 'M' was renamed to 'Text'; raise Version, or append")]
    [InlineData("[Message(1)] public record M(int A, int D, string B, bool C);", "The field 'D' of 'M' was inserted before 'B'; raise Version, or append")]
    [InlineData("[Message(1)] public record M(string B, int A, bool C);", "The field 'A' of 'M' was moved; raise Version, or append")]
    [InlineData("[Message(1)] public record M(long A, string B, bool C);", "The type of the field 'A' of 'M' was i4 and is i8; raise Version, or append")]
    [InlineData("[Message(1)] public record M(int A, string? B, bool C);", "The type of the field 'B' of 'M' was s and is s?; raise Version, or append")]
    [InlineData("[Message(2)] public record M(int A, string B, bool C);", "The id of 'M' was 1 and is 2; restore the id, or keep the old message and add another message")]
    [InlineData("[Message(2)] public record N;", "The message 'M' with the id 1 was removed; keep it while other programs send it")]
    [InlineData("[Message(1, Compressor = typeof(BrotliCompressor))] public record M(int A, string B, bool C);", "The compressor of 'M' was none and is Reloaded.Messaging.BrotliCompressor, and both ends need the same one; raise Version")]
    public async Task Incompatible_change_is_an_error(string now, string message)
    {
        var found = Assert.Single(await SchemaRunner.CompareAsync(SchemaRunner.Write(Base), now));

        Assert.Equal(("RM1012", message), (found.Id, found.GetMessage(CultureInfo.InvariantCulture)));
    }

    [Theory]
    [InlineData("BrotliCompressor", "Reloaded.Messaging.Compression.LZ4.LZ4Compressor", true)]
    [InlineData("Reloaded.Messaging.Compression.LZ4.LZ4Compressor", "Reloaded.Messaging.Compression.LZ4.NativeLZ4Compressor", false)]
    [InlineData("Unknown", "BrotliCompressor", true)]
    [InlineData("Unknown", "Unknown", false)]
    public async Task Compressor_is_changed_if_its_format_is(string before, string now, bool isChanged)
    {
        var found = await SchemaRunner.CompareAsync(SchemaRunner.Write(Of(before)), Of(now));

        Assert.Equal(isChanged, found.Any(static one => one.Id == "RM1012"));

        static string Of(string compressor) => $$"""
            [Message(1, Compressor = typeof({{compressor}}))] public record M;
            public class Unknown : IMessageCompressor
            {
                public string Name => GetType().Name;
                public int GetMaxCompressedSize(int size) => size;
                public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written) { written = 0; return false; }
                public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination) => false;
            }
            """;
    }

    [Theory]
    [InlineData("[Message(1)] public record M(int A, string B, bool C, int D = 5);")]
    [InlineData("[Message(1, Version = 2)] public record M(long A);")]
    [InlineData(Base + "[Message(2)] public record N;")]
    [InlineData("[Message(1)] public record M(int A, string B, bool C = true);")]
    public async Task Compatible_change_is_a_warning_until_the_schema_is_written_anew(string now)
    {
        var found = Assert.Single(await SchemaRunner.CompareAsync(SchemaRunner.Write(Base), now));

        Assert.Equal("RM1013", found.Id);
        Assert.Contains("contracts.schema.json", found.GetMessage(CultureInfo.InvariantCulture), System.StringComparison.Ordinal);
        Assert.Empty(await SchemaRunner.CompareAsync(SchemaRunner.Write(now), now));
    }

    [Theory]
    [InlineData("[Message(1, VersionTolerant = true)] public record M([property: MessageField(3)] int C);", null)]
    [InlineData("[Message(1, VersionTolerant = true)] public record M([property: MessageField(1)] long A, [property: MessageField(3)] int C);", "The type of the field 1 ('A') of 'M' was i4 and is i8; raise Version, or give the field a new number")]
    [InlineData("[Message(1)] public record M(int A, int C);", "'M' was a tolerant and is a message; raise Version")]
    public async Task Version_tolerant_fields_are_compared_by_number(string now, string? message)
    {
        var schema = SchemaRunner.Write("[Message(1, VersionTolerant = true)] public record M([property: MessageField(1)] int A, [property: MessageField(3)] int C);");

        var found = Assert.Single(await SchemaRunner.CompareAsync(schema, now));

        Assert.Equal(message is null ? "RM1013" : "RM1012", found.Id);
        if (message is not null)
            Assert.Equal(message, found.GetMessage(CultureInfo.InvariantCulture));
    }

    [Fact]
    public async Task Removed_type_of_a_union_is_an_error()
    {
        const string Types = "[Message(2)] public record A : U; [Message(3)] public record B : U;";
        var schema = SchemaRunner.Write("[Message(1), MessageUnion(0, typeof(A)), MessageUnion(1, typeof(B))] public abstract record U;" + Types);

        var found = await SchemaRunner.CompareAsync(schema, "[Message(1), MessageUnion(0, typeof(A))] public abstract record U;" + Types);

        Assert.Equal("The tag 1 ('B') of 'U' was removed; raise Version, or append", Assert.Single(found).GetMessage(CultureInfo.InvariantCulture));
    }

    [Theory]
    [InlineData(
        "[Message(1)] public record M(Point At); public record struct Point(float X, float Y);",
        "[Message(1)] public record M(Point At); public record struct Point(float Y, float X);",
        "Item 1 of M.At is Y now and X in the schema; raise Version")]
    [InlineData(
        "[Message(1)] public record M(List<Side> Sides); public enum Side { Friend, Enemy }",
        "[Message(1)] public record M(List<Side> Sides); public enum Side { Enemy, Friend }",
        "The member Enemy of M.Sides[] is 0 now and 1 in the schema; raise Version")]
    [InlineData(
        "[Message(1)] public record M(Side A); public enum Side { Friend, Enemy }",
        "[Message(1)] public record M(Side A); public enum Side { Friend, Foe }",
        "The number 1 of M.A is Foe now and Enemy in the schema; for a renamed member, keep the former name as a second member with the same number; raise Version")]
    [InlineData(
        "[Message(1)] public record M((int X, int Y) At);",
        "[Message(1)] public record M((int Y, int X) At);",
        "Item 1 of M.At is Y now and X in the schema; raise Version")]
    [InlineData(
        "[Message(1, VersionTolerant = true)] public record M([property: MessageField(1)] int Health);",
        "[Message(1, VersionTolerant = true)] public record M([property: MessageField(1)] int Mana);",
        "Field 1 of M is Mana (int32) now and Health (int32) in the schema; for a renamed field, set FormerName of its [MessageField], and give another field an unused number; raise Version")]
    [InlineData(
        "[Message(1)] public record M(Dictionary<string, N[]> Items); [Message(2)] public record N(int A);",
        "[Message(1)] public record M(Dictionary<string, N[]> Items); [Message(2, Version = 2)] public record N(long A);",
        "The version of N in M.Items[][] is 2 now and 1 in the schema; raise Version")]
    public async Task Change_that_the_handshake_refuses_is_an_error(string before, string now, string message)
    {
        var found = Assert.Single(await SchemaRunner.CompareAsync(SchemaRunner.Write(before), now));

        Assert.Equal(("RM1012", message), (found.Id, found.GetMessage(CultureInfo.InvariantCulture)));
    }

    [Fact]
    public async Task Change_of_a_message_inside_is_an_error_of_that_message_alone()
    {
        const string Outer = "[Message(1)] public record M(List<N> Items, Side A); public enum Side { Friend, Enemy }";
        var schema = SchemaRunner.Write(Outer + "[Message(2)] public record N(Side S, int B);");

        var found = await SchemaRunner.CompareAsync(schema, Outer + "[Message(2)] public record N(int B, Side S);");

        Assert.Equal("The field 'S' of 'N' was moved; raise Version, or append", Assert.Single(found).GetMessage(CultureInfo.InvariantCulture));
    }

    [Theory]
    [InlineData("[Message(1)] public record M(Side A); public enum Side { Friend, Enemy }", "[Message(1)] public record M(Side A); public enum Side { Friend, Enemy, Neutral }")]
    [InlineData("[Message(1)] public record M(Side A); public enum Side { Friend, Enemy }", "[Message(1)] public record M(Side A); public enum Side { Friend, Foe, Enemy = 1 }")]
    [InlineData("[Message(1)] public record M(Side A); public enum Side { Friend, Enemy }", "[Message(1)] public record M(int A);")]
    [InlineData("[Message(1)] public record M((int, int) At);", "[Message(1)] public record M((int X, int Y) At);")]
    [InlineData("[Message(1)] public record M(List<N> A); [Message(2)] public record N(int A);", "[Message(1)] public record M(N[] A); [Message(2)] public record N(int A, int B);")]
    [InlineData("[Message(1)] public record M(Side A); public enum Side { Friend, Enemy }", "[Message(1, Version = 2)] public record M(Side A); public enum Side { Enemy, Friend }")]
    [InlineData(
        "[Message(1, VersionTolerant = true)] public record M([property: MessageField(1)] int Health);",
        "[Message(1, VersionTolerant = true)] public record M([property: MessageField(1, FormerName = \"Health\")] int Life);")]
    public async Task Change_that_the_handshake_accepts_is_a_warning(string before, string now) =>
        Assert.Equal("RM1013", Assert.Single(await SchemaRunner.CompareAsync(SchemaRunner.Write(before), now)).Id);

    [Fact]
    public async Task Schema_of_format_1_is_compared_without_layouts()
    {
        const string Enum = "public enum Side { Friend, Enemy }";
        var schema = System.Text.RegularExpressions.Regex.Replace(SchemaRunner.Write("[Message(1)] public record M(Side A);" + Enum), " *\"layout\": .*\n", "");

        Assert.Equal("RM1013", Assert.Single(await SchemaRunner.CompareAsync(schema, "[Message(1)] public record M(Side A); public enum Side { Enemy, Friend }")).Id);
        Assert.Equal("RM1012", Assert.Single(await SchemaRunner.CompareAsync(schema, "[Message(1)] public record M(long A);")).Id);
    }

    [Theory]
    [InlineData("")]
    [InlineData("[")]
    [InlineData("{\"format\": 2, \"contracts\": [{\"id\": true}]}")]
    [InlineData("{\"format\": 2, \"contracts\": null}")]
    [InlineData("{\"format\": 3, \"contracts\": [{\"id\": 7, \"name\": \"Removed\", \"kind\": \"message\", \"struct\": false, \"version\": 1, \"compressor\": null, \"fields\": []}]}")]
    public async Task File_that_is_no_schema_is_out_of_date(string schema) =>
        Assert.Equal("RM1013", Assert.Single(await SchemaRunner.CompareAsync(schema, Base)).Id);

    [Fact]
    public async Task Line_ends_of_the_file_do_not_matter() =>
        Assert.Empty(await SchemaRunner.CompareAsync(SchemaRunner.Write(Base).Replace("\n", "\r\n"), Base));

    [Theory]
    [InlineData("\"name\": \"M\"", "\"name\": \"M\\n/x.cs(1,1): error\"", "A contract has the name 'M\uFFFD/x.cs(1,1): error'.")]
    [InlineData("\"name\": \"A\"", "\"name\": \"A;\"", "A field has the name 'A;'.")]
    public async Task Name_that_is_no_name_is_reported(string right, string wrong, string expected)
    {
        const string Source = "[Message(1)] public record M(int A);";
        var schema = SchemaRunner.Write(Source);
        Assert.Contains(right, schema, StringComparison.Ordinal);

        var found = Assert.Single(await SchemaRunner.CompareAsync(schema.Replace(right, wrong, StringComparison.Ordinal), Source));

        Assert.Equal(("RM1013", $"contracts.schema.json is not a schema ({expected} A name has letters, digits and underscores, in parts that dots separate.) and differs from the contracts of this assembly: run 'dotnet build -p:WriteMessageSchema=true', and commit the file"), (found.Id, found.GetMessage(null)));
    }

    [Fact]
    public async Task Change_of_a_hostile_schema_is_one_line()
    {
        const string Source = "[Message(1)] public record M(int A);";
        var schema = SchemaRunner.Write(Source).Replace("\"compressor\": null", "\"compressor\": \"X\\n/x.cs(1,1): error\"", StringComparison.Ordinal);

        var found = Assert.Single(await SchemaRunner.CompareAsync(schema, Source));

        Assert.Equal("RM1012", found.Id);
        Assert.StartsWith("The compressor of 'M' was X\uFFFD/x.cs(1,1): error and is none", found.GetMessage(null), StringComparison.Ordinal);
    }

    [Fact]
    public void Text_that_ends_a_line_of_CSharp_stays_in_its_line()
    {
        var schema = SchemaRunner.Write("[Message(1)] public record M(string A = \"\\u2028\\u2029\\u0085\");");

        Assert.Contains("\"default\": \"\\u2028\\u2029\\u0085\"", schema, StringComparison.Ordinal);
        Assert.DoesNotMatch("[\u2028\u2029\u0085]", schema);
    }
}
