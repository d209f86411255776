using System;
using System.Buffers.Binary;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>Writes and reads a message after its length.</summary>
internal static class PrefixedFrame
{
    public static int SizeOf(LengthPrefix prefix) => prefix is LengthPrefix.UInt16LittleEndian or LengthPrefix.UInt16BigEndian ? sizeof(ushort) : sizeof(uint);

    /// <summary>The limits of a message, of which two bytes allow at most 65,535 bytes.</summary>
    public static MessageLimits GetLimits(LengthPrefix prefix) =>
        SizeOf(prefix) == sizeof(ushort) ? new MessageLimits { MaxMessageSize = ushort.MaxValue } : MessageLimits.Default;

    public static void WriteLength(LengthPrefix prefix, Span<byte> destination, int length)
    {
        switch (prefix)
        {
            case LengthPrefix.UInt16LittleEndian:
                BinaryPrimitives.WriteUInt16LittleEndian(destination, checked((ushort)length));
                break;
            case LengthPrefix.UInt16BigEndian:
                BinaryPrimitives.WriteUInt16BigEndian(destination, checked((ushort)length));
                break;
            case LengthPrefix.UInt32LittleEndian:
                BinaryPrimitives.WriteInt32LittleEndian(destination, length);
                break;
            default:
                BinaryPrimitives.WriteInt32BigEndian(destination, length);
                break;
        }
    }

    /// <summary>Takes the first message off a source, as <see cref="Frame.TryRead"/> does.</summary>
    public static FrameStatus TryRead(LengthPrefix prefix, scoped ref ReadOnlySpan<byte> source, int maxMessageSize, out ReadOnlySpan<byte> message)
    {
        message = default;
        var size = SizeOf(prefix);
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
