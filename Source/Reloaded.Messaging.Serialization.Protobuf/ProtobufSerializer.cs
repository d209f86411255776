using System.Diagnostics.CodeAnalysis;
using Google.Protobuf;

namespace Reloaded.Messaging.Serialization.Protobuf;

/// <summary>Serializes Google.Protobuf messages in their binary format, for programs that already have .proto schemas.</summary>
/// <typeparam name="T">A message class that <c>protoc</c> generated.</typeparam>
/// <remarks>
/// Serializing calculates the size first, writes directly into the message's buffer, and does not allocate. Fields that are unknown to the
/// receiver's schema are kept and sent on, unless the parser discards them. An empty payload is a message with all defaults. Messages may be
/// nested at most 100 levels deep when they are read, which is the limit of Google.Protobuf.
/// </remarks>
/// <example><code>
/// static readonly MessageContract&lt;Player&gt; Player = new(5, new ProtobufSerializer&lt;Player&gt;(Player.Parser));
/// </code></example>
public sealed class ProtobufSerializer<T> : IMessageSerializer<T>
    where T : class, IMessage<T>
{
    private readonly MessageParser<T> _parser;

    /// <summary>Creates a serializer that deserializes with the given parser.</summary>
    /// <param name="parser">The <c>Parser</c> of the generated class, or a parser derived from it, for example by <c>WithDiscardUnknownFields</c>.</param>
    public ProtobufSerializer(MessageParser<T> parser)
    {
        ArgumentNullException.ThrowIfNull(parser);
        _parser = parser;
    }

    /// <inheritdoc/>
    public string Name => "protobuf";

    /// <inheritdoc/>
    public void Serialize(in T value, MessageBuffer buffer)
    {
        ArgumentNullException.ThrowIfNull(value);
        var size = value.CalculateSize();
        value.WriteTo(buffer.GetSpan(size).Slice(0, size));
        buffer.Advance(size);
    }

    /// <inheritdoc/>
    public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value)
    {
        try
        {
            value = _parser.ParseFrom(payload);
            return true;
        }
        catch (InvalidProtocolBufferException)
        {
            value = null;
            return false;
        }
    }
}
