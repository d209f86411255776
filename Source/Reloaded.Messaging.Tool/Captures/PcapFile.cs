using System;
using System.Buffers.Binary;
using System.Collections.Generic;

namespace Reloaded.Messaging.Tool;

/// <summary>Reads the packets of a pcap file.</summary>
internal static class PcapFile
{
    private const int HeaderSize = 24;
    private const int RecordSize = 16;

    /// <summary>Returns whether the bytes begin as a pcap file does, in either byte order, with microseconds or nanoseconds.</summary>
    public static bool IsStart(ReadOnlySpan<byte> bytes) => bytes.Length >= 4 &&
        (BinaryPrimitives.ReadUInt32LittleEndian(bytes) is 0xA1B2C3D4 or 0xA1B23C4D || BinaryPrimitives.ReadUInt32BigEndian(bytes) is 0xA1B2C3D4 or 0xA1B23C4D);

    /// <exception cref="ToolException">Thrown when the file ends inside a packet. The packets before have been returned.</exception>
    public static IEnumerable<Packet> Read(ReadOnlyMemory<byte> file)
    {
        if (file.Length < HeaderSize)
            throw ToolException.Invalid("The pcap file ends inside its header.");
        var isLittle = BinaryPrimitives.ReadUInt32LittleEndian(file.Span) is 0xA1B2C3D4 or 0xA1B23C4D;
        var unit = ReadUInt32(file, 0, isLittle) == 0xA1B23C4D ? 1e-9 : 1e-6;
        var linkType = ReadUInt32(file, 20, isLittle) & 0x0FFFFFFF;
        for (var at = HeaderSize; at < file.Length;)
        {
            if (file.Length - at < RecordSize)
                throw Truncated(at);
            var size = ReadUInt32(file, at + 8, isLittle);
            if (size > file.Length - at - RecordSize)
                throw Truncated(at);
            var time = ReadUInt32(file, at, isLittle) + (ReadUInt32(file, at + 4, isLittle) * unit);
            yield return new Packet(time, linkType, file.Slice(at + RecordSize, (int)size));
            at += RecordSize + (int)size;
        }
    }

    private static uint ReadUInt32(ReadOnlyMemory<byte> file, int at, bool isLittle) => isLittle
        ? BinaryPrimitives.ReadUInt32LittleEndian(file.Span.Slice(at))
        : BinaryPrimitives.ReadUInt32BigEndian(file.Span.Slice(at));

    private static ToolException Truncated(int at) => ToolException.Invalid(FormattableString.Invariant($"The pcap file ends inside the packet at byte {at}."));
}
