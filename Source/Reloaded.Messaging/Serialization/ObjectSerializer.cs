using System;
using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging;

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
