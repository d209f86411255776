using System;
using System.Diagnostics.CodeAnalysis;
using Google.Protobuf;

namespace Reloaded.Messaging.Serialization.Protobuf;

/// <summary>Sends a Google.Protobuf message in its binary format, for those who have schemas already.</summary>
/// <typeparam name="T">A message class that <c>protoc</c> generated.</typeparam>
/// <remarks>
/// Written straight into the message's buffer, by its size, which is calculated first; nothing is allocated to send. Fields that the reader's
/// schema does not have are kept and sent on, unless the parser was told to discard them. An empty payload is the message with all defaults.
/// Reading nests at most 100 deep, the limit of Google.Protobuf.
/// </remarks>
/// <example><code>
/// static readonly MessageContract&lt;Player&gt; Player = new(5, new ProtobufSerializer&lt;Player&gt;(Player.Parser));
/// </code></example>
public sealed class ProtobufSerializer<T> : IMessageSerializer<T>
    where T : class, IMessage<T>
{
    private readonly MessageParser<T> _parser;

    /// <summary>Serializes with the given parser for the way back.</summary>
    /// <param name="parser">The generated class's <c>Parser</c>, or one made from it, such as with <c>WithDiscardUnknownFields</c>.</param>
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
