using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
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
    [InlineData("")]
    [InlineData("[")]
    [InlineData("{\"contracts\": [{\"id\": true}]}")]
    [InlineData("{\"contracts\": null}")]
    public async Task File_that_is_no_schema_is_out_of_date(string schema) =>
        Assert.Equal("RM1013", Assert.Single(await SchemaRunner.CompareAsync(schema, Base)).Id);

    [Fact]
    public async Task Line_ends_of_the_file_do_not_matter() =>
        Assert.Empty(await SchemaRunner.CompareAsync(SchemaRunner.Write(Base).Replace("\n", "\r\n"), Base));
}
