using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Reloaded.Messaging.Compression.LZ4;

namespace Reloaded.Messaging.Tool;

/// <summary>Serializes JSON as the message of a contract.</summary>
internal sealed class SchemaSerializer(Schema schema, SchemaContract contract) : IMessageSerializer<JsonElement>
{
    private static readonly JsonWriterOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public string Name => "binary";

    /// <summary>Creates the contract of a message of a schema, with its compressor.</summary>
    /// <exception cref="ToolException">Thrown when the tool does not know the compressor.</exception>
    public static MessageContract<JsonElement> CreateContract(Schema schema, SchemaContract contract) =>
        new(contract.Id, new SchemaSerializer(schema, contract), FindCompression(contract), contract.Version, shape: schema.ShapeOf(contract));

    public void Serialize(in JsonElement value, MessageBuffer buffer) => new JsonPayloadWriter(schema, buffer).WriteMessage(contract, value);

    public bool TryDeserialize(ReadOnlySpan<byte> payload, out JsonElement value)
    {
        value = default;
        var text = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(text, s_options);
        var reader = new PayloadReader(payload);
        if (!new JsonPayloadReader(schema, contract.Name, json).TryReadMessage(ref reader, contract))
            return false;
        json.Flush();
        using var document = JsonDocument.Parse(Escape(Encoding.UTF8.GetString(text.WrittenSpan)), new JsonDocumentOptions { MaxDepth = 1000 });
        value = document.RootElement.Clone();
        return true;
    }

    /// <summary>Escapes the characters in strings that the output of the tool would replace.</summary>
    private static string Escape(string json)
    {
        var escaped = new StringBuilder(json.Length);
        foreach (var character in json)
            _ = RemoteText.IsControl(character) ? escaped.Append(CultureInfo.InvariantCulture, $"\\u{(int)character:X4}") : escaped.Append(character);
        return escaped.ToString();
    }

    /// <summary>Finds the compressor of a contract by the name of its format.</summary>
    /// <returns>The compression of a contract; <c>null</c> for no compression.</returns>
    /// <exception cref="ToolException">Thrown when the tool does not know the compressor.</exception>
    private static CompressionOptions? FindCompression(SchemaContract contract) => contract.Compressor switch
    {
        null => null,
        BrotliCompressor.FormatName => new CompressionOptions(new BrotliCompressor()),
        LZ4Compressor.FormatName => new CompressionOptions(new LZ4Compressor()),
        var name => throw ToolException.Invalid($"{contract.Name} is compressed by {name}; the tool knows the formats {BrotliCompressor.FormatName} and {LZ4Compressor.FormatName}. If the compressor writes one of them, add a constant FormatName to its class, and write the schema anew."),
    };
}
