using System;
using System.Buffers.Binary;
using System.Threading;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>A message type's id, serializer, version and compression, declared once and given to writers and dispatchers alike.</summary>
/// <typeparam name="T">The message: a struct, a class, a string, bytes.</typeparam>
/// <remarks>Immutable, and safe to share between threads. Keep it in a static field of the assembly that owns the type.</remarks>
/// <example><code>
/// static readonly MessageContract&lt;Move&gt; Move = new(3, new BlittableSerializer&lt;Move&gt;());
/// </code></example>
public sealed class MessageContract<T> : MessageContract
{
    private static MessageContract<T>? s_declared;

    /// <summary>Says what <typeparamref name="T"/> is on the wire.</summary>
    /// <param name="type">The id: 0 to 4294967295. No two contracts in one dispatcher may share it.</param>
    /// <param name="serializer">Turns the message into a payload and back.</param>
    /// <param name="compression">How payloads are compressed; null for never.</param>
    /// <param name="version">The version of the payload's layout: 1 or more.</param>
    /// <param name="isSecret">Whether buffers that held the payload are zeroed before they are used again.</param>
    /// <param name="shape">The message's fields, if they are known; null for those of the declared contract where that has the same serializer.</param>
    public MessageContract(
        uint type,
        IMessageSerializer<T> serializer,
        CompressionOptions? compression = null,
        int version = 1,
        bool isSecret = false,
        MessageShape? shape = null)
        : base(type, typeof(T), Checked(serializer).Name, compression, version, isSecret, shape ?? ShapeOf(serializer))
    {
        if (version < 1)
            Throw.ArgumentOutOfRange(nameof(version), version, "a version is 1 or more");

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

    /// <summary>Turns the message into a payload and back.</summary>
    public IMessageSerializer<T> Serializer { get; }

    /// <summary>The serializer's method, bound: with many serializers behind one call, an interface's is looked up each time, which took 7 ns more.</summary>
    internal SerializeCall<T> Serialize { get; }

    /// <summary>The header of an event.</summary>
    internal MessageHeader EventHeader { get; }

    /// <summary>An event's header as it is sent, the first byte lowest: at most seven.</summary>
    internal ulong EventHeaderBytes { get; }

    /// <summary>How many of <see cref="EventHeaderBytes"/> there are.</summary>
    internal int EventHeaderSize { get; }

    /// <summary>Whether the payload is the struct's own bytes, so that a dispatcher copies them without a call.</summary>
    internal bool IsBlittable { get; }

    /// <summary>
    /// For a contract whose events always are one byte of header and up to 126 bytes of struct: its frame's length and its header, as they
    /// are stored. A writer stores these and the struct without a call. 0 for any other contract.
    /// </summary>
    internal ushort FramePrefix { get; }

    /// <summary>The declared contract. In a static of its own type's, so it lives no longer than a collectible assembly that holds the type.</summary>
    internal static MessageContract<T>? Declared => s_declared;

    /// <summary>Makes this the contract of every call that names none: <c>writer.Pack(new Move(…))</c>.</summary>
    /// <returns>This contract.</returns>
    /// <exception cref="InvalidOperationException">Another contract is declared for <typeparamref name="T"/>.</exception>
    public MessageContract<T> Declare()
    {
        var previous = Interlocked.CompareExchange(ref s_declared, this, null);
        if (previous is not null && previous != this)
            Throw.AlreadyDeclared(typeof(T), previous.Type, Type);
        return this;
    }

    /// <summary>Fields go with the serializer that writes them, whichever contract it serves.</summary>
    private static MessageShape? ShapeOf(IMessageSerializer<T> serializer) =>
        Declared is { } declared && declared.Serializer == serializer ? declared.Shape : null;

    private static IMessageSerializer<T> Checked(IMessageSerializer<T> serializer)
    {
        ArgumentNullException.ThrowIfNull(serializer);
        return serializer;
    }
}
