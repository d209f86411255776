using System;
using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>A serializer that can read into instances that were used before. Generated for messages with <c>Pooled = true</c>.</summary>
/// <typeparam name="T">The message, a class.</typeparam>
public interface IPooledMessageSerializer<T> : IMessageSerializer<T>
{
    /// <summary>Reads a message into a rented instance; <see cref="IMessageSerializer{T}.TryDeserialize"/> makes one that is the caller's to keep.</summary>
    /// <param name="payload">The whole payload, from anywhere; valid during the call.</param>
    /// <param name="value">The message: the caller's until it returns it, once. One that never comes back is the collector's.</param>
    /// <returns>False for bytes that are not such a message; then there is nothing to return.</returns>
    bool TryDeserializePooled(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value);

    /// <summary>Resets an instance and gives it back, with its lists, its dictionaries and the pooled messages in it. Don't touch it afterwards.</summary>
    /// <param name="value">What <see cref="TryDeserializePooled"/> gave.</param>
    void Return(T value);
}
