using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Tests.Structure;
using Xunit;

namespace Reloaded.Messaging.Tests.Schemas;

/// <summary>docs/schema-format.json describes every schema that the generator writes.</summary>
public sealed class SchemaFormatTests
{
    private static readonly string s_root = SourceProject.Repository;

    private static readonly JsonElement s_format = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(s_root, "docs", "schema-format.json"))).RootElement;

    public static TheoryData<string> Committed => [.. Directory.GetFiles(s_root, "contracts.schema.json", SearchOption.AllDirectories)
        .Where(static path => !path.Split(Path.DirectorySeparatorChar).Intersect(["bin", "obj", "artifacts", "node_modules"]).Any())
        .Select(static path => Path.GetRelativePath(s_root, path))];

    [Theory]
    [MemberData(nameof(Committed))]
    public void Committed_schema_has_the_format(string path) =>
        Assert.Empty(Check(JsonDocument.Parse(File.ReadAllBytes(Path.Combine(s_root, path))).RootElement));

    [Fact]
    public void Schema_with_every_member_has_the_format()
    {
        var schema = SchemaRunner.Write("""
            /// <summary>A message.</summary>
            [Obsolete("Use N.", false)]
            [Message(1, Compressor = typeof(BrotliCompressor))] public class M : IRequest<N> { [Obsolete] public int A = -5; public Side B = Side.Enemy; public Vector3 C; }
            [Message(2)] public record N;
            /// <summary>A side.</summary>
            [Flags] public enum Side : long { Friend, Enemy = -1 }
            [Reloaded.Messaging.Hosting.MessageService] public interface IMods { System.Threading.Tasks.Task StopAsync(); }
            """);

        Assert.Empty(Check(JsonDocument.Parse(schema).RootElement));
    }

    [Theory]
    [InlineData("\"role\": \"event\"", "\"role\": \"other\"")]
    [InlineData("\"id\": 1", "\"id\": -1")]
    [InlineData("\"format\": 2", "\"format\": 3")]
    [InlineData("\"kind\": \"message\",", "")]
    [InlineData("\"struct\": false", "\"struct\": 0")]
    [InlineData("\"shape\": \"0", "\"shape\": \"x")]
    [InlineData("\"role\"", "\"unknown\": 1, \"role\"")]
    public void Other_file_does_not_have_the_format(string part, string replacement)
    {
        var schema = SchemaRunner.Write("[Message(1)] public record M(int A);");
        Assert.Contains(part, schema, StringComparison.Ordinal);

        Assert.NotEmpty(Check(JsonDocument.Parse(schema.Replace(part, replacement, StringComparison.Ordinal)).RootElement));
    }

    /// <summary>The faults of a document. A member that the format does not describe is a fault too: it would be without documentation.</summary>
    private static List<string> Check(JsonElement document)
    {
        var faults = new List<string>();
        Check(document, s_format, "", faults);
        return faults;
    }

    private static void Check(JsonElement value, JsonElement schema, string path, List<string> faults)
    {
        foreach (var rule in schema.EnumerateObject())
        {
            var isKept = rule.Name switch
            {
                "$schema" or "title" or "description" or "$defs" => true,
                "type" => (rule.Value.ValueKind == JsonValueKind.Array ? rule.Value.EnumerateArray().ToArray() : [rule.Value]).Any(one => IsOf(value, one.GetString()!)),
                "const" => JsonElement.DeepEquals(value, rule.Value),
                "enum" => rule.Value.EnumerateArray().Any(one => JsonElement.DeepEquals(value, one)),
                "pattern" => value.ValueKind != JsonValueKind.String || Regex.IsMatch(value.GetString()!, rule.Value.GetString()!),
                "minimum" => value.ValueKind != JsonValueKind.Number || value.GetDecimal() >= rule.Value.GetDecimal(),
                "maximum" => value.ValueKind != JsonValueKind.Number || value.GetDecimal() <= rule.Value.GetDecimal(),
                "required" => rule.Value.EnumerateArray().All(one => value.ValueKind == JsonValueKind.Object && value.TryGetProperty(one.GetString()!, out _)),
                "$ref" => CheckAll([value], Definition(rule.Value.GetString()!), path, faults),
                "items" => value.ValueKind != JsonValueKind.Array || CheckAll(value.EnumerateArray(), rule.Value, path, faults),
                "properties" => value.ValueKind != JsonValueKind.Object || value.EnumerateObject().All(one => rule.Value.TryGetProperty(one.Name, out var inner) && CheckAll([one.Value], inner, $"{path}.{one.Name}", faults)),
                _ => throw new InvalidDataException($"This test does not know the rule {rule.Name}."),
            };
            if (!isKept)
                faults.Add($"{path}: {rule.Name} {rule.Value} is not kept by {value}");
        }
    }

    private static bool CheckAll(IEnumerable<JsonElement> values, JsonElement schema, string path, List<string> faults)
    {
        foreach (var value in values)
            Check(value, schema, path, faults);
        return true;
    }

    private static JsonElement Definition(string reference) => s_format.GetProperty("$defs").GetProperty(reference["#/$defs/".Length..]);

    private static bool IsOf(JsonElement value, string type) => value.ValueKind switch
    {
        JsonValueKind.Object => type == "object",
        JsonValueKind.Array => type == "array",
        JsonValueKind.String => type == "string",
        JsonValueKind.Number => type == "number" || (type == "integer" && value.TryGetInt64(out _)),
        JsonValueKind.Null => type == "null",
        _ => type == "boolean",
    };
}
