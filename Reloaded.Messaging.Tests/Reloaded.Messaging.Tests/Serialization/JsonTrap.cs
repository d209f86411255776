using System.Text.Json;
using System.Text.Json.Serialization;

namespace Reloaded.Messaging.Tests.Serialization;

/// <summary>Writes a string; throws halfway when it is "throw", and packs a message by the same contract when it starts with "pack".</summary>
public sealed class JsonTrap : JsonConverter<string>
{
    public override string? Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) => reader.GetString();

    public override void Write(Utf8JsonWriter writer, string value, JsonSerializerOptions options)
    {
        if (value == "throw")
        {
            writer.WriteStartArray();
            writer.WriteStringValue(new string('x', 10_000));
            throw new FormatException("This member can't be written.");
        }

        if (value.StartsWith("pack", StringComparison.Ordinal))
        {
            var inner = new JsonMessage { Text = "inner", Trap = value.Substring(4) };
            using var packed = new MessageWriter().Pack(JsonMessageSerializerTests.Contract, inner);
            writer.WriteStringValue(packed.Span.Slice(1));
            return;
        }

        writer.WriteStringValue(value);
    }
}
