using System;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>The properties of a message type on which both sides of a connection must agree.</summary>
public abstract class MessageContract
{
    // Weak, so that the assembly of a message can be unloaded.
    private static readonly ConditionalWeakTable<Type, MessageContract> s_declared = new();

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

    /// <summary>The id on the wire. Ids from 0 to 126 take one byte of header, larger ids three to seven.</summary>
    public uint Type { get; }

    /// <summary>The .NET type of the message.</summary>
    public Type MessageType { get; }

    /// <summary>The <see cref="IMessageSerializer{T}.Name"/> of the serializer.</summary>
    public string SerializerName { get; }

    /// <summary>The compression of payloads, or <c>null</c> for no compression.</summary>
    public CompressionOptions? Compression { get; }

    /// <summary>The version of the payload's layout. Raise it when old and new versions cannot read each other.</summary>
    public int Version { get; }

    /// <summary>Whether buffers that held the payload are zeroed before they are reused.</summary>
    /// <remarks>Applies to the library's own buffers, compressed or not. The program clears the message object itself.</remarks>
    public bool IsSecret { get; }

    /// <summary>The fields of a generated message, which both sides compare, or <c>null</c> if they are not known.</summary>
    public MessageShape? Shape { get; }

    /// <summary>Returns the declared contract of <typeparamref name="T"/>, which calls without a contract use.</summary>
    /// <exception cref="InvalidOperationException">Thrown when no contract was declared by <see cref="MessageContract{T}.Declare"/>.</exception>
    public static MessageContract<T> GetDeclared<T>()
    {
        var declared = MessageContract<T>.Declared;
        if (declared is null)
            Throw.NotDeclared(typeof(T));
        return declared;
    }

    /// <summary>Returns the declared contract of a type that is known only at run time.</summary>
    /// <param name="messageType">The type.</param>
    /// <exception cref="InvalidOperationException">Thrown when no contract was declared by <see cref="MessageContract{T}.Declare"/>.</exception>
    public static MessageContract GetDeclared(Type messageType)
    {
        ArgumentNullException.ThrowIfNull(messageType);
        if (!s_declared.TryGetValue(messageType, out var declared))
            Throw.NotDeclared(messageType);
        return declared;
    }

    /// <summary>The same contract for messages that are known only as objects.</summary>
    internal abstract MessageContract<object> ForObjects { get; }

    private protected void DeclareAs(Type messageType) => s_declared.AddOrUpdate(messageType, this);

    /// <summary>Returns the .NET type, the id, the serializer and the version as text.</summary>
    public override string ToString() => $"{MessageType} (type {Type}, {SerializerName}, version {Version})";
}
