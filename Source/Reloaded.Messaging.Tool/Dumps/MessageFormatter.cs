using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tool;

/// <summary>Describes a message in one line: its header, the name of its type, and its fields by the schema.</summary>
internal sealed class MessageFormatter(Schema schema)
{
    private const int MaxBytes = 64;

    private static readonly string[] s_controls = ["hello", "ping", "pong", "goodbye", "cancel"];

    private readonly Dictionary<uint, (PayloadDecoder<JsonElement> Decoder, string? Difference)> _decoders = [];

    /// <summary>Describes how a contract of the schema differs from the one by which the messages were written, or returns <c>null</c>; <c>null</c> if that one is not known.</summary>
    public Func<SchemaContract, MessageContract, string?>? FindDifference { get; set; }

    /// <summary>The limits of the messages that the tool reads.</summary>
    public static MessageLimits Limits { get; } = new() { MaxMessageSize = 256 << 20, MaxDecompressedSize = 256 << 20 };

    /// <summary>Describes a message.</summary>
    /// <param name="message">The header and the payload.</param>
    /// <param name="isValid">Whether the header is valid, and the payload fits the schema if the schema has the type.</param>
    public string Describe(ReadOnlySpan<byte> message, out bool isValid)
    {
        var status = MessageHeader.TryRead(message, out var header, out var size);
        isValid = status == HeaderStatus.Ok;
        return isValid
            ? Describe(in header, message.Slice(size), message.Length, out isValid)
            : string.Create(CultureInfo.InvariantCulture, $"malformed header ({status}), {message.Length} bytes: {Hex(message)}");
    }

    /// <summary>Describes the payload of a contract of the schema.</summary>
    public string DescribePayload(SchemaContract contract, ReadOnlySpan<byte> payload, out bool isValid) =>
        DescribeFields(new MessageHeader(contract.Id), payload, out isValid);

    private string Describe(in MessageHeader header, ReadOnlySpan<byte> payload, int length, out bool isValid)
    {
        isValid = true;
        var name = header.Kind == MessageKind.Control ? NameControl(header.Type) : schema.Contracts.TryGetValue(header.Type, out var contract) ? contract.Name : "";
        var id = header.CorrelationId == 0 ? "" : string.Create(CultureInfo.InvariantCulture, $" #{header.CorrelationId}");
        var compressed = header.IsCompressed ? string.Create(CultureInfo.InvariantCulture, $" (compressed from {header.DecompressedSize})") : "";
        var fields = header.Kind switch
        {
            MessageKind.Control => Hex(payload),
            MessageKind.Fault => DescribeFault(payload, out isValid),
            _ => DescribeFields(in header, payload, out isValid),
        };
        return string.Create(CultureInfo.InvariantCulture, $"{Lower(header.Kind)} {header.Type}{(name.Length == 0 ? "" : " " + name)}{id}, {length} bytes{compressed}: {fields}");
    }

    private string DescribeFields(in MessageHeader header, ReadOnlySpan<byte> payload, out bool isValid)
    {
        isValid = true;
        if (!schema.Contracts.TryGetValue(header.Type, out var contract))
            return Hex(payload);
        if (!_decoders.TryGetValue(header.Type, out var known))
        {
            var created = SchemaSerializer.CreateContract(schema, contract);
            _decoders[header.Type] = known = (new PayloadDecoder<JsonElement>(created, Limits), FindDifference?.Invoke(contract, created));
        }

        var (decoder, difference) = known;
        if (difference is not null)
        {
            isValid = false;
            return $"was recorded by another contract: {difference} {Hex(payload)}";
        }

        try
        {
            isValid = decoder.TryDecode(in header, payload, out var value, out var status);
            return isValid ? value.GetRawText() : $"does not fit the schema ({status}): {Hex(payload)}";
        }
        catch (ToolException e) // the other messages are still printed
        {
            isValid = false;
            return $"{e.Message} {Hex(payload)}";
        }
    }

    private static string DescribeFault(ReadOnlySpan<byte> payload, out bool isValid)
    {
        var fault = Fault.TryRead(payload);
        isValid = fault is not null;
        return fault is null ? $"malformed fault: {Hex(payload)}" : FaultText.Describe(fault);
    }

    private static string NameControl(uint opcode) => opcode < s_controls.Length ? s_controls[opcode] : "";

    private static string Lower(MessageKind kind) => kind.ToString().ToLowerInvariant();

    private static string Hex(ReadOnlySpan<byte> bytes) => bytes.Length == 0 ? "no payload"
        : bytes.Length <= MaxBytes ? Convert.ToHexString(bytes)
        : string.Create(CultureInfo.InvariantCulture, $"{Convert.ToHexString(bytes.Slice(0, MaxBytes))}… ({bytes.Length} bytes)");
}
