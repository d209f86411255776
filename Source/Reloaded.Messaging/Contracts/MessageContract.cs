using System;

namespace Reloaded.Messaging;

/// <summary>What both ends of a connection have to agree on about one type of message.</summary>
public abstract class MessageContract
{
    private protected MessageContract(uint type, Type messageType, string serializerName, CompressionOptions? compression, int version, bool isSecret, MessageShape? shape)
    {
        Type = type;
        MessageType = messageType;
        SerializerName = serializerName;
        Compression = compression;
        Version = version;
        IsSecret = isSecret;
        Shape = shape;
    }

    /// <summary>The id on the wire: 0 to 126 take one byte of header, larger ones three to seven.</summary>
    public uint Type { get; }

    /// <summary>The .NET type of the message.</summary>
    public Type MessageType { get; }

    /// <summary>The serializer's <see cref="IMessageSerializer{T}.Name"/>.</summary>
    public string SerializerName { get; }

    /// <summary>How payloads are compressed; null for never.</summary>
    public CompressionOptions? Compression { get; }

    /// <summary>The version of the payload's layout. Raise it when old and new can't read each other.</summary>
    public int Version { get; }

    /// <summary>Whether buffers that held the payload are zeroed before they are used again.</summary>
    /// <remarks>Covers the library's own buffers, compressed and not. What the message object itself holds is its owner's to clear.</remarks>
    public bool IsSecret { get; }

    /// <summary>The fields of a generated message, for two ends to compare; null where nobody knows them.</summary>
    public MessageShape? Shape { get; }

    /// <summary>The contract that calls without one use for messages of type <typeparamref name="T"/>.</summary>
    /// <exception cref="InvalidOperationException"><see cref="MessageContract{T}.Declare"/> was not called for any.</exception>
    public static MessageContract<T> GetDeclared<T>()
    {
        var declared = MessageContract<T>.Declared;
        if (declared is null)
            Throw.NotDeclared(typeof(T));
        return declared;
    }

    /// <summary>The .NET type, the id and how it is serialized, for people.</summary>
    public override string ToString() => $"{MessageType} (type {Type}, {SerializerName}, version {Version})";
}
