using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The definitions that <c>export</c> writes. The tests of the clients compile them.</summary>
public sealed class ExportTests : IDisposable
{
    private static readonly string s_vectors = Path.Combine(AppContext.BaseDirectory, "vectors", "contracts.schema.json");

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("json-schema")]
    [InlineData("asyncapi")]
    public async Task References_of_document_are_in_it(string form)
    {
        foreach (var schema in new[] { Tool.Schema, s_vectors })
        {
            var document = JsonDocument.Parse((await Tool.RunAsync("export", "--to", form, "--schema", schema)).Output).RootElement;

            var references = Regex.Matches(document.GetRawText(), "\"\\$ref\": \"#/(.*?)\"");
            Assert.NotEmpty(references);
            foreach (var reference in references.Select(static one => one.Groups[1].Value).Distinct())
                Assert.True(reference.Split('/').Aggregate((JsonElement?)document, static (at, name) => at is { } found && found.TryGetProperty(name, out var next) ? next : null) is not null, reference);
        }
    }

    [Fact]
    public async Task Json_schema_describes_the_json_of_the_tool()
    {
        var all = JsonDocument.Parse((await Tool.RunAsync("export", "--to", "json-schema", "--schema", Tool.Schema)).Output).RootElement.GetProperty("$defs");
        var properties = all.GetProperty("Reloaded.Messaging.Tests.Exported.Everything").GetProperty("properties");

        Assert.True(all.GetProperty("Reloaded.Messaging.Tests.Exported.Everything").GetProperty("deprecated").GetBoolean());
        Assert.Equal("The id of the mod.", properties.GetProperty("Id").GetProperty("description").GetString());
        Assert.Equal("5", properties.GetProperty("Side").GetProperty("default").GetRawText());
        Assert.True(properties.GetProperty("Tags").GetProperty("uniqueItems").GetBoolean());
        Assert.Equal("#/$defs/Reloaded.Messaging.Tests.Exported.Part", properties.GetProperty("Part").GetProperty("$ref").GetString());
        Assert.Equal(["Version", "Part"], all.GetProperty("Reloaded.Messaging.Tests.Exported.Everything").GetProperty("required").EnumerateArray().Select(static one => one.GetString()));
        Assert.Equal("object", properties.GetProperty("ByName").GetProperty("type").GetString());
        Assert.Equal(2, all.GetProperty("Reloaded.Messaging.Tests.Exported.Outcome").GetProperty("oneOf").GetArrayLength());
        Assert.Equal(
            ["At_X", "At_Y", "Side"],
            all.GetProperty("Reloaded.Messaging.Tests.Exported.Place").GetProperty("prefixItems").EnumerateArray().Select(static one => one.GetProperty("description").GetString()));
    }

    [Fact]
    public async Task Asyncapi_has_an_operation_for_each_request_and_event()
    {
        var document = JsonDocument.Parse((await Tool.RunAsync("export", "--to", "asyncapi", "--title", "Game", "--schema", Tool.Schema)).Output).RootElement;
        var operations = document.GetProperty("operations");

        Assert.Equal(("3.0.0", "Game"), (document.GetProperty("asyncapi").GetString(), document.GetProperty("info").GetProperty("title").GetString()));
        Assert.Equal("receive", operations.GetProperty("Reloaded.Messaging.Tests.Exported.Load").GetProperty("action").GetString());
        Assert.Contains("Exported.Outcome", operations.GetProperty("Reloaded.Messaging.Tests.Exported.Load").GetProperty("reply").GetRawText(), StringComparison.Ordinal);
        Assert.Equal("send", operations.GetProperty("Reloaded.Messaging.Tests.Log").GetProperty("action").GetString());
        Assert.False(operations.TryGetProperty("Reloaded.Messaging.Tests.Exported.Outcome", out _));
        Assert.Equal("receive", operations.GetProperty("Reloaded.Messaging.Tests.Exported.Tail").GetProperty("action").GetString());
        Assert.Contains("Exported.Line", operations.GetProperty("Reloaded.Messaging.Tests.Exported.Tail").GetProperty("reply").GetRawText(), StringComparison.Ordinal);
        Assert.False(operations.TryGetProperty("Reloaded.Messaging.Tests.Exported.Line", out _));
        Assert.Equal(20, document.GetProperty("components").GetProperty("messages").GetProperty("Reloaded.Messaging.Tests.Exported.Everything").GetProperty("x-message-id").GetInt32());
    }

    [Fact]
    public async Task Asyncapi_names_the_items_and_the_progress_of_a_request()
    {
        Write("items.json", $$"""{ "format": 2, "contracts": [{{Contract(1, "Line", "item", "")}}, {{Contract(2, "Step", "report", "")}}, {{Contract(3, "Run", "stream", "\"item\": 1, \"sent\": 1,")}}, {{Contract(4, "Bake", "request", "\"reply\": null, \"report\": 2,")}}] }""");

        var operations = JsonDocument.Parse((await Tool.RunAsync("export", "--to", "asyncapi", "--schema", Path.Combine(_folder.FullName, "items.json"))).Output).RootElement.GetProperty("operations");

        Assert.Equal(["Run", "Bake"], operations.EnumerateObject().Select(static one => one.Name));
        Assert.Equal(["x-reply-items Line", "x-sent-items Line"], NamesOf("Run"));
        Assert.Equal(["x-progress Step"], NamesOf("Bake"));

        IEnumerable<string> NamesOf(string operation) => operations.GetProperty(operation).EnumerateObject()
            .Where(static one => one.Name.StartsWith("x-", StringComparison.Ordinal))
            .Select(static one => $"{one.Name} {one.Value.GetProperty("$ref").GetString()!.Split('/')[^1]}");

        static string Contract(int id, string name, string role, string uses) =>
            $$"""{ "id": {{id}}, "name": "{{name}}", "kind": "message", "struct": false, "version": 1, "serializer": "binary", "compressor": null, "role": "{{role}}", {{uses}} "layout": "o", "fields": [] }""";
    }

    [Theory]
    [InlineData("typescript")]
    [InlineData("python")]
    [InlineData("c")]
    [InlineData("csharp2")]
    [InlineData("json-schema")]
    [InlineData("asyncapi")]
    public async Task Assembly_is_exported_as_its_schema_file(string form)
    {
        var byFile = await Tool.RunAsync("export", "--to", form, "--schema", Tool.Schema);

        Assert.Equal((0, ""), (byFile.ExitCode, byFile.Error));
        Assert.Equal(byFile, await Tool.RunAsync("export", "--to", form, "--assembly", typeof(Move).Assembly.Location));
    }

    [Theory]
    [InlineData("""{ "contracts": [] }""", "There is no contract to export.")]
    [InlineData("""{ "contracts": [{ "id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": null, "fields": [{ "number": 1, "name": "A", "type": "i4", "shape": "1" }] }] }""", "it has format 1. Write the schema again")]
    [InlineData("""{ "contracts": [{ "id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": null, "fields": [{ "number": 1, "name": "A", "type": "[i4]", "declared": "list", "shape": "1" }] }] }""", "invalid at position 4")]
    [InlineData("""{ "contracts": [{ "id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": null, "fields": [{ "number": 1, "name": "A", "type": "(i4:i4)", "declared": "(int32)", "shape": "1" }] }] }""", "which is invalid")]
    [InlineData("""{ "contracts": [{ "id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": null, "fields": [{ "number": 1, "name": "A", "type": "m6", "declared": "N", "shape": "1" }] }] }""", "no type named 'N'. Name the schema that has it")]
    public async Task Schema_that_cannot_be_exported_is_one_line(string schema, string expected)
    {
        Write("wrong.json", schema);

        var tool = await Tool.RunAsync("export", "--to", "python", "--schema", Path.Combine(_folder.FullName, "wrong.json"), "--output", Path.Combine(_folder.FullName, "out.py"));

        Assert.Equal(2, tool.ExitCode);
        Assert.Contains(expected, Assert.Single(tool.Error.TrimEnd('\n').Split('\n')), StringComparison.Ordinal);
        Assert.False(File.Exists(Path.Combine(_folder.FullName, "out.py")));
    }

    [Theory]
    [InlineData("null", "", "NULL", "null")]
    [InlineData("\"Game.Compressor\"", ", \"compressorName\": null", "\"Game.Compressor\"", "\"Game.Compressor\"")]
    [InlineData("\"Game.Compressor\"", ", \"compressorName\": \"lz4\"", "\"lz4\"", "\"lz4\"")]
    public async Task Unknown_compressor_is_not_exported_as_none(string compressor, string member, string c, string csharp)
    {
        Write("schema.json", $$"""{ "contracts": [{ "id": 5, "name": "Game.M", "kind": "message", "struct": false, "version": 1, "compressor": {{compressor}}{{member}}, "role": "event", "layout": "o", "fields": [] }] }""");

        await ExportAsync("c", "game.h", Path.Combine(_folder.FullName, "schema.json"));
        await ExportAsync("csharp2", "Game.cs", Path.Combine(_folder.FullName, "schema.json"));

        Assert.Contains($"\"binary\", {c}, ", Read("game.h"), StringComparison.Ordinal);
        Assert.Contains($"\"Game.M\", {csharp}, ", Read("Game.cs"), StringComparison.Ordinal);

        string Read(string file) => File.ReadAllText(Path.Combine(_folder.FullName, file));
    }

    private async Task ExportAsync(string form, string file, string schema)
    {
        var tool = await Tool.RunAsync("export", "--to", form, "--schema", schema, "--output", Path.Combine(_folder.FullName, file));
        Assert.Equal((0, "", ""), (tool.ExitCode, tool.Error, tool.Output));
    }

    private void Write(string file, string text) => File.WriteAllText(Path.Combine(_folder.FullName, file), text);
}
