using System;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Wire;

/// <summary>A message behind its length, in any of the prefixes.</summary>
public static class PrefixedFrame
{
    /// <summary>The room that any prefix has enough of, in bytes.</summary>
    public const int MaxPrefix = UVarint.MaxSize;

    /// <summary>Writes a length to a destination with room for <see cref="MaxPrefix"/> bytes.</summary>
    /// <returns>The bytes written.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int WriteLength(LengthPrefix prefix, Span<byte> destination, int length) =>
        prefix == LengthPrefix.UVarint ? UVarint.Write(destination, (uint)length) : WriteFixedLength(prefix, destination, length);

    /// <summary>Takes the first message off a source; as <see cref="Frame.TryRead"/> does.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static FrameStatus TryRead(LengthPrefix prefix, scoped ref ReadOnlySpan<byte> source, int maxMessageSize, out ReadOnlySpan<byte> message) =>
        prefix == LengthPrefix.UVarint ? Frame.TryRead(ref source, maxMessageSize, out message) : TryReadFixed(prefix, ref source, maxMessageSize, out message);

    /// <summary>The largest message that a prefix can say the length of: two bytes say no more than 65,535.</summary>
    public static int MaxLength(LengthPrefix prefix) => prefix is LengthPrefix.UInt16LittleEndian or LengthPrefix.UInt16BigEndian ? ushort.MaxValue : int.MaxValue;

    /// <summary>The limits that also hold for the prefix.</summary>
    public static MessageLimits Limit(MessageLimits limits, LengthPrefix prefix) =>
        limits.MaxMessageSize > MaxLength(prefix)
            ? new MessageLimits { MaxMessageSize = MaxLength(prefix), MaxDecompressedSize = limits.MaxDecompressedSize }
            : limits;

    private static int WriteFixedLength(LengthPrefix prefix, Span<byte> destination, int length)
    {
        switch (prefix)
        {
            case LengthPrefix.UInt16LittleEndian:
                BinaryPrimitives.WriteUInt16LittleEndian(destination, checked((ushort)length));
                return sizeof(ushort);
            case LengthPrefix.UInt16BigEndian:
                BinaryPrimitives.WriteUInt16BigEndian(destination, checked((ushort)length));
                return sizeof(ushort);
            case LengthPrefix.UInt32LittleEndian:
                BinaryPrimitives.WriteUInt32LittleEndian(destination, (uint)length);
                return sizeof(uint);
            default:
                BinaryPrimitives.WriteUInt32BigEndian(destination, (uint)length);
                return sizeof(uint);
        }
    }

    private static FrameStatus TryReadFixed(LengthPrefix prefix, scoped ref ReadOnlySpan<byte> source, int maxMessageSize, out ReadOnlySpan<byte> message)
    {
        message = default;
        var size = prefix is LengthPrefix.UInt16LittleEndian or LengthPrefix.UInt16BigEndian ? sizeof(ushort) : sizeof(uint);
        if (source.Length < size)
            return FrameStatus.Incomplete;
        var length = prefix switch
        {
            LengthPrefix.UInt16LittleEndian => BinaryPrimitives.ReadUInt16LittleEndian(source),
            LengthPrefix.UInt16BigEndian => BinaryPrimitives.ReadUInt16BigEndian(source),
            LengthPrefix.UInt32LittleEndian => BinaryPrimitives.ReadUInt32LittleEndian(source),
            _ => BinaryPrimitives.ReadUInt32BigEndian(source),
        };
        if (length == 0)
            return FrameStatus.Malformed;
        if (length > (uint)maxMessageSize)
            return FrameStatus.TooLarge;
        if (length > (uint)(source.Length - size))
            return FrameStatus.Incomplete;

        message = source.Slice(size, (int)length);
        source = source.Slice(size + (int)length);
        return FrameStatus.Ok;
    }
}

/// <summary>A message after its length: the form in which messages follow each other in a batch, a datagram or a stream.</summary>
/// <remarks><c>03 03 AA BB</c> is a frame of three bytes: type 3 with the payload <c>AA BB</c>. The length is a uvarint and never zero.</remarks>
public static class Frame
{
    /// <summary>Reads the first message of <paramref name="source"/>.</summary>
    /// <param name="source">Consecutive frames. Advanced past the message if one was read; otherwise unchanged.</param>
    /// <param name="maxMessageSize">The maximum size of a message, in bytes. It is checked before any byte after the length is read.</param>
    /// <param name="message">The message without its length: a slice of <paramref name="source"/>, valid as long as the source.</param>
    /// <returns>The result. Never throws.</returns>
    public static FrameStatus TryRead(scoped ref ReadOnlySpan<byte> source, int maxMessageSize, out ReadOnlySpan<byte> message)
    {
        message = default;
        switch (UVarint.TryRead(source, out var length, out var prefix))
        {
            case HeaderStatus.Truncated:
                return FrameStatus.Incomplete;
            case not HeaderStatus.Ok:
                return FrameStatus.Malformed;
        }

        if (length == 0)
            return FrameStatus.Malformed;
        if (length > (uint)Math.Max(maxMessageSize, 0))
            return FrameStatus.TooLarge;
        if (length > (uint)(source.Length - prefix))
            return FrameStatus.Incomplete;

        message = source.Slice(prefix, (int)length);
        source = source.Slice(prefix + (int)length);
        return FrameStatus.Ok;
    }
}

/// <summary>The result of reading a frame from the start of a stream or datagram.</summary>
public enum FrameStatus
{
    /// <summary>A complete message.</summary>
    Ok = 0,

    /// <summary>An incomplete message, or no bytes: more bytes are needed.</summary>
    Incomplete,

    /// <summary>A length of zero, or a length that is not in its shortest form. The rest of the stream cannot be read.</summary>
    Malformed,

    /// <summary>A length above the reader's limit. The rest of the stream cannot be read.</summary>
    TooLarge,
}

/// <summary>Unsigned LEB128 integers of 32 bits, in their shortest form only.</summary>
/// <remarks>Seven bits per byte, lowest first. Bit 7 is set if another byte follows. 300 is <c>AC 02</c>. At most <see cref="MaxSize"/> bytes.</remarks>
public static class UVarint
{
    /// <summary>The maximum size of an encoded value, in bytes.</summary>
    public const int MaxSize = 5;

    /// <summary>Returns the size of <paramref name="value"/>, in bytes (1–5).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int SizeOf(uint value) => value switch
    {
        < 1u << 7 => 1,
        < 1u << 14 => 2,
        < 1u << 21 => 3,
        < 1u << 28 => 4,
        _ => 5,
    };

    /// <summary>Writes <paramref name="value"/> to the start of <paramref name="destination"/>.</summary>
    /// <returns>The number of bytes written: <see cref="SizeOf"/> of the value.</returns>
    /// <exception cref="IndexOutOfRangeException">Thrown when the destination is shorter than that.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> destination, uint value)
    {
        if (value >= 0x80)
            return WriteLong(destination, value);
        destination[0] = (byte)value;
        return 1;
    }

    /// <summary>Reads one value from the start of <paramref name="source"/>.</summary>
    /// <param name="source">Untrusted bytes. No byte after the value is read.</param>
    /// <param name="value">The value, or 0.</param>
    /// <param name="size">The size of the value, in bytes, or 0.</param>
    /// <returns><see cref="HeaderStatus.Ok"/>, <see cref="HeaderStatus.Truncated"/> or <see cref="HeaderStatus.BadVarint"/>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static HeaderStatus TryRead(ReadOnlySpan<byte> source, out uint value, out int size)
    {
        if (source.IsEmpty || source[0] >= 0x80)
            return TryReadLong(source, out value, out size);
        value = source[0];
        size = 1;
        return HeaderStatus.Ok;
    }

    private static int WriteLong(Span<byte> destination, uint value)
    {
        var i = 0;
        while (value >= 0x80)
        {
            destination[i++] = (byte)(value | 0x80);
            value >>= 7;
        }

        destination[i++] = (byte)value;
        return i;
    }

    private static HeaderStatus TryReadLong(ReadOnlySpan<byte> source, out uint value, out int size)
    {
        value = 0;
        size = 0;
        uint result = 0;
        for (var i = 0; i < source.Length; i++)
        {
            uint part = source[i];
            if (i == MaxSize - 1 && part > 0x0F)
                return HeaderStatus.BadVarint; // a sixth byte, or a bit above 2^32-1

            result |= (part & 0x7F) << (7 * i);
            if (part >= 0x80)
                continue;

            if (part == 0 && i > 0)
                return HeaderStatus.BadVarint; // a shorter form exists

            value = result;
            size = i + 1;
            return HeaderStatus.Ok;
        }

        return HeaderStatus.Truncated;
    }
}
