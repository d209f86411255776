using System.IO;
using System.Linq;
using System.Text.Json;
using Reloaded.Messaging.Tool;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The codec of the tool reads and writes the payloads of docs/vectors.</summary>
public sealed class SchemaVectorTests
{
    private static readonly Schema s_schema = Schema.Load([Path.Combine(AppContext.BaseDirectory, "vectors", "contracts.schema.json")], []);

    [Fact]
    public void Valid_payloads_are_read_and_written_back()
    {
        var failures = new List<string>();
        var written = 0;
        foreach (var one in Cases().Where(static one => one.GetProperty("status").GetString() == "Ok"))
        {
            var (contract, bytes) = Get(one);
            if (!contract.Serializer.TryDeserialize(bytes, out var json))
                failures.Add($"{Name(one)} is not read");
            else if (one.GetProperty("canonical").GetBoolean() && Write(contract, json) is var again && again != Convert.ToHexString(bytes))
                failures.Add($"{Name(one)} is written as {again} from {json.GetRawText()}");
            else
                written++;
        }

        Assert.Empty(failures);
        Assert.True(written > 60, $"{written} cases");
    }

    [Fact]
    public void Values_in_the_form_of_the_vectors_are_written()
    {
        var failures = new List<string>();
        foreach (var one in Cases().Where(static one => one.GetProperty("canonical").GetBoolean()))
        {
            var (contract, bytes) = Get(one);
            var written = Write(contract, one.GetProperty("value"));
            if (written != Convert.ToHexString(bytes))
                failures.Add($"{Name(one)} is written as {written}");
        }

        Assert.Empty(failures);
    }

    [Fact]
    public void Malformed_payloads_are_refused()
    {
        // The tool shows a dictionary with equal keys, and a message that lacks a class, as they are.
        var read = Cases()
            .Where(static one => one.GetProperty("status").GetString() != "Ok" && Get(one) is var (contract, bytes) && contract.Serializer.TryDeserialize(bytes, out _))
            .Select(Name);

        Assert.All(read, static name => Assert.Matches("(?i)twice|key|missing|lacks|null", name));
    }

    private static List<JsonElement> Cases() =>
        [.. JsonDocument.Parse(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "vectors", "payloads.json"))).RootElement.GetProperty("cases").EnumerateArray()];

    private static string Name(JsonElement one) => one.GetProperty("name").GetString()!;

    private static (MessageContract<JsonElement> Contract, byte[] Bytes) Get(JsonElement one) =>
        (SchemaSerializer.CreateContract(s_schema, s_schema.Find(one.GetProperty("message").GetString()!)), Convert.FromHexString(one.GetProperty("bytes").GetString()!));

    private static string Write(MessageContract<JsonElement> contract, JsonElement json)
    {
        try
        {
            using var packed = new MessageWriter().Pack(contract, in json);
            return Convert.ToHexString(packed.Span[new Wire.MessageHeader(contract.Type).Size..]);
        }
        catch (ToolException e)
        {
            return e.Message;
        }
    }
}
