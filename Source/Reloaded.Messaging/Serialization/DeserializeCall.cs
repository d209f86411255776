using System;
using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging;

/// <summary>The bound <see cref="IMessageSerializer{T}.TryDeserialize"/> of a serializer, or its method for pooled messages.</summary>
internal delegate bool DeserializeCall<T>(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value);
