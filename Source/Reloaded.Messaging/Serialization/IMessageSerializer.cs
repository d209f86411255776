using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging;

/// <summary>Serializes messages of one type. Implement it to use a format of your own.</summary>
/// <typeparam name="T">The message type.</typeparam>
/// <remarks>One instance serves all threads that use its contract, concurrently and nested: keep no state between calls.</remarks>
public interface IMessageSerializer<T>
{
    /// <summary>The name of the format, such as "json". The handshake compares it.</summary>
    string Name { get; }

    /// <summary>Appends the payload of <paramref name="value"/> to <paramref name="buffer"/>.</summary>
    /// <param name="value">The message.</param>
    /// <param name="buffer">The buffer, which already holds the header. The caller owns it; do not keep it after the call.</param>
    /// <remarks>If it throws, the writer takes back its buffer and throws the exception to the caller.</remarks>
    void Serialize(in T value, MessageBuffer buffer);

    /// <summary>Deserializes a message.</summary>
    /// <param name="payload">The whole payload. Untrusted; valid during the call.</param>
    /// <param name="value">The message. It must not refer to the memory of <paramref name="payload"/>.</param>
    /// <returns><c>false</c> if the bytes are not such a message, or if there are surplus bytes; otherwise, <c>true</c>. Bad bytes never throw. Exceptions of the message's constructor or setters are thrown to the caller.</returns>
    bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value);
}

/// <summary>The bound <see cref="IMessageSerializer{T}.Serialize"/> of a serializer.</summary>
internal delegate void SerializeCall<T>(in T value, MessageBuffer buffer);

/// <summary>The bound <see cref="IMessageSerializer{T}.TryDeserialize"/> of a serializer, or its method for pooled messages.</summary>
internal delegate bool DeserializeCall<T>(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value);

/// <summary>Serializes messages that are known only as objects, as the serializer of their type does.</summary>
/// <typeparam name="T">The type of the messages.</typeparam>
internal sealed class ObjectSerializer<T>(IMessageSerializer<T> serializer) : IMessageSerializer<object>
{
    public string Name => serializer.Name;

    public void Serialize(in object value, MessageBuffer buffer) => serializer.Serialize((T)value, buffer);

    public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out object value)
    {
        var isValid = serializer.TryDeserialize(payload, out var message);
        value = message;
        return isValid;
    }
}
