using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Wire;

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

/// <summary>The id, serializer, version and compression of a message type, used by writers and dispatchers.</summary>
/// <typeparam name="T">The message type: a struct, a class, a string or bytes.</typeparam>
/// <remarks>Immutable and thread-safe. Keep it in a static field of the assembly that owns the type.</remarks>
/// <example><code>
/// var contract = new MessageContract&lt;Move&gt;(3, new BlittableSerializer&lt;Move&gt;());
/// using var packed = new MessageWriter().Pack(contract, new Move(1, 2));
///
/// public readonly record struct Move(float X, float Y);
/// </code></example>
public sealed class MessageContract<T> : MessageContract
{
    private static MessageContract<T>? s_declared;
    private MessageContract<object>? _forObjects;

    /// <summary>Creates the contract of <typeparamref name="T"/>.</summary>
    /// <param name="type">The id (0–4294967295). Two contracts of one dispatcher must not have the same id.</param>
    /// <param name="serializer">The serializer.</param>
    /// <param name="compression">The compression of payloads, or <c>null</c> for no compression.</param>
    /// <param name="version">The version of the payload's layout (1 or more; default: 1).</param>
    /// <param name="isSecret">Whether buffers that held the payload are zeroed before they are reused.</param>
    /// <param name="shape">The fields of the message, if they are known. If <c>null</c>, the fields of the declared contract are used if that contract has the same serializer.</param>
    public MessageContract(
        uint type,
        IMessageSerializer<T> serializer,
        CompressionOptions? compression = null,
        int version = 1,
        bool isSecret = false,
        MessageShape? shape = null)
        : this(type, typeof(T), serializer, compression, version, isSecret, shape ?? ShapeOf(serializer))
    {
    }

    private MessageContract(uint type, Type messageType, IMessageSerializer<T> serializer, CompressionOptions? compression, int version, bool isSecret, MessageShape? shape)
        : base(type, messageType, Checked(serializer).Name, compression, version, isSecret, shape)
    {
        Guard.AtLeast(1, version, nameof(version));
        Serializer = serializer;
        Serialize = serializer.Serialize;
        EventHeader = new MessageHeader(type);
        Span<byte> header = stackalloc byte[sizeof(ulong)];
        EventHeaderSize = EventHeader.Write(header);
        EventHeaderBytes = BinaryPrimitives.ReadUInt64LittleEndian(header);
        var size = (serializer as IBlittableSerializer)?.FixedSize ?? 0;
        IsBlittable = size > 0;
        if (IsBlittable && size < MessageLimits.MinLimit - 1 && EventHeader.IsShort && !isSecret && (compression is null || size < compression.Threshold))
            FramePrefix = (ushort)((uint)(size + 1) | (type << 8));
    }

    /// <summary>The serializer.</summary>
    public IMessageSerializer<T> Serializer { get; }

    /// <summary>The bound method of the serializer. A delegate avoids the interface lookup that a call with many serializers would need.</summary>
    internal readonly SerializeCall<T> Serialize;

    /// <summary>The header of an event.</summary>
    internal readonly MessageHeader EventHeader;

    /// <summary>The header of an event as it is sent, first byte lowest: at most seven bytes.</summary>
    internal readonly ulong EventHeaderBytes;

    /// <summary>The number of bytes of <see cref="EventHeaderBytes"/>.</summary>
    internal readonly int EventHeaderSize;

    /// <summary>Whether the payload is the memory of the struct, so that a dispatcher copies it without a call.</summary>
    internal readonly bool IsBlittable;

    /// <summary>
    /// For a contract whose events have one byte of header and a struct of up to 126 bytes: the length of the frame and the header, as they
    /// are stored. A writer stores these and the struct without a call. 0 for any other contract.
    /// </summary>
    internal readonly ushort FramePrefix;

    internal override MessageContract<object> ForObjects =>
        _forObjects ??= MessageContract<object>.Create(this, new ObjectSerializer<T>(Serializer));

    /// <summary>The declared contract. A static field of a type generic over the message is unloaded together with a collectible assembly of the message.</summary>
    internal static MessageContract<T>? Declared => s_declared;

    /// <summary>Makes this contract the default for all calls that name no contract, such as <c>writer.Pack(new Move(…))</c>.</summary>
    /// <returns>This contract.</returns>
    /// <exception cref="InvalidOperationException">Thrown when another contract is declared for <typeparamref name="T"/>.</exception>
    public MessageContract<T> Declare()
    {
        var previous = Interlocked.CompareExchange(ref s_declared, this, null);
        if (previous is not null && previous != this)
            Throw.AlreadyDeclared(typeof(T), previous.Type, Type);
        if (previous is null)
            DeclareAs(typeof(T));
        return this;
    }

    /// <summary>Creates a contract that differs from another contract only in its serializer.</summary>
    internal static MessageContract<T> Create(MessageContract like, IMessageSerializer<T> serializer) =>
        new(like.Type, like.MessageType, serializer, like.Compression, like.Version, like.IsSecret, like.Shape);

    /// <summary>The fields belong to the serializer that writes them, whichever contract uses it.</summary>
    private static MessageShape? ShapeOf(IMessageSerializer<T> serializer) =>
        Declared is { } declared && declared.Serializer == serializer ? declared.Shape : null;

    private static IMessageSerializer<T> Checked(IMessageSerializer<T> serializer)
    {
        ArgumentNullException.ThrowIfNull(serializer);
        return serializer;
    }
}
