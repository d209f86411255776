namespace Reloaded.Messaging;

/// <summary>A serializer's <see cref="IMessageSerializer{T}.Serialize"/>.</summary>
internal delegate void SerializeCall<T>(in T value, MessageBuffer buffer);
