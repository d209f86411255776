using System;
using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>A serializer that can read into pooled instances. Generated for messages with <c>Pooled = true</c>.</summary>
/// <typeparam name="T">The message type, a class.</typeparam>
public interface IPooledMessageSerializer<T> : IMessageSerializer<T>
{
    /// <summary>Reads a message into a rented instance. <see cref="IMessageSerializer{T}.TryDeserialize"/> creates an instance that the caller may keep.</summary>
    /// <param name="payload">The whole payload. Untrusted; valid during the call.</param>
    /// <param name="value">The message. The caller owns it until it returns it, once. An instance that is not returned is garbage-collected.</param>
    /// <returns><c>false</c> if the bytes are not such a message; nothing has to be returned then. Otherwise, <c>true</c>.</returns>
    bool TryDeserializePooled(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value);

    /// <summary>Resets an instance and returns it, with its lists, its dictionaries and the pooled messages in it. Do not use it afterwards.</summary>
    /// <param name="value">The instance from <see cref="TryDeserializePooled"/>.</param>
    void Return(T value);
}
