using System;
using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging;

/// <summary>A serializer's <see cref="IMessageSerializer{T}.TryDeserialize"/>, or the one that rents.</summary>
internal delegate bool DeserializeCall<T>(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value);
