using System;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace ModLoader;

/// <summary>Takes a part of a document that has no fixed form as the text that it is.</summary>
public sealed class RawJsonConverter : JsonConverter<string>
{
    public override string Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        using var part = JsonDocument.ParseValue(ref reader);
        return part.RootElement.GetRawText();
    }

    public override void Write(Utf8JsonWriter writer, string value, JsonSerializerOptions options) =>
        writer.WriteRawValue(value, skipInputValidation: true); // it was read as JSON
}
