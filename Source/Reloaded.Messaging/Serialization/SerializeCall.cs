namespace Reloaded.Messaging;

/// <summary>The bound <see cref="IMessageSerializer{T}.Serialize"/> of a serializer.</summary>
internal delegate void SerializeCall<T>(in T value, MessageBuffer buffer);
