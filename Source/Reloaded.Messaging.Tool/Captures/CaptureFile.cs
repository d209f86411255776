using System.Buffers.Binary;

namespace Reloaded.Messaging.Tool;

/// <summary>A packet of a capture.</summary>
/// <param name="Time">The time in seconds since 1970.</param>
/// <param name="LinkType">The link type of the capture, such as 1 for Ethernet.</param>
/// <param name="Bytes">The captured bytes.</param>
/// <param name="Position">The position of the packet in the capture.</param>
internal readonly record struct Packet(double Time, uint LinkType, ReadOnlyMemory<byte> Bytes, int Position);

/// <summary>Reads the packets of a capture: pcap or pcapng.</summary>
internal static class CaptureFile
{
    /// <returns>The packets; <c>null</c> if the bytes do not begin as a capture does.</returns>
    public static IEnumerable<Packet>? TryRead(ReadOnlyMemory<byte> file) => PcapFile.IsStart(file.Span) ? PcapFile.Read(file) : PcapNgFile.IsStart(file.Span) ? PcapNgFile.Read(file) : null;

    internal static uint ReadUInt32(ReadOnlyMemory<byte> bytes, int at, bool isLittle) => isLittle
        ? BinaryPrimitives.ReadUInt32LittleEndian(bytes.Span.Slice(at))
        : BinaryPrimitives.ReadUInt32BigEndian(bytes.Span.Slice(at));
}

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
        var unit = CaptureFile.ReadUInt32(file, 0, isLittle) == 0xA1B23C4D ? 1e-9 : 1e-6;
        var linkType = CaptureFile.ReadUInt32(file, 20, isLittle) & 0x0FFFFFFF;
        for (var at = HeaderSize; at < file.Length;)
        {
            if (file.Length - at < RecordSize)
                throw Truncated(at);
            var size = CaptureFile.ReadUInt32(file, at + 8, isLittle);
            if (size > file.Length - at - RecordSize)
                throw Truncated(at);
            var time = CaptureFile.ReadUInt32(file, at, isLittle) + (CaptureFile.ReadUInt32(file, at + 4, isLittle) * unit);
            yield return new Packet(time, linkType, file.Slice(at + RecordSize, (int)size), at);
            at += RecordSize + (int)size;
        }
    }

    private static ToolException Truncated(int at) => ToolException.Invalid(FormattableString.Invariant($"The pcap file ends inside the packet at byte {at}."));
}

/// <summary>Reads the packets of a pcapng file. Other blocks are skipped.</summary>
internal static class PcapNgFile
{
    private const uint Section = 0x0A0D0D0A;
    private const uint Interface = 1;
    private const uint EnhancedPacket = 6;

    /// <summary>The size of a block without contents: type, length, and length again.</summary>
    private const int MinBlock = 12;

    /// <summary>Returns whether the bytes begin as a pcapng file does.</summary>
    public static bool IsStart(ReadOnlySpan<byte> bytes) => bytes.Length >= MinBlock && BinaryPrimitives.ReadUInt32LittleEndian(bytes) == Section;

    /// <exception cref="ToolException">Thrown when a block is malformed. The packets before have been returned.</exception>
    public static IEnumerable<Packet> Read(ReadOnlyMemory<byte> file)
    {
        var interfaces = new List<(uint LinkType, double Unit)>();
        var isLittle = true;
        for (var at = 0; at < file.Length;)
        {
            if (file.Length - at < MinBlock)
                throw Malformed(at);
            var type = BinaryPrimitives.ReadUInt32LittleEndian(file.Span.Slice(at));
            if (type == Section)
            {
                isLittle = BinaryPrimitives.ReadUInt32LittleEndian(file.Span.Slice(at + 8)) == 0x1A2B3C4D;
                interfaces.Clear();
            }
            else
            {
                type = CaptureFile.ReadUInt32(file.Slice(at), 0, isLittle);
            }

            var size = CaptureFile.ReadUInt32(file.Slice(at), 4, isLittle);
            if (size < MinBlock || size % 4 != 0 || size > file.Length - at)
                throw Malformed(at);
            var body = file.Slice(at + 8, (int)size - MinBlock);
            if (type == Interface && body.Length >= 8)
                interfaces.Add((isLittle ? CaptureFile.ReadUInt32(body, 0, true) & 0xFFFF : CaptureFile.ReadUInt32(body, 0, false) >> 16, ReadUnit(body.Slice(8), isLittle)));
            if (type == EnhancedPacket)
                yield return ReadPacket(body, interfaces, isLittle, at) ?? throw Malformed(at);
            at += (int)size;
        }
    }

    private static Packet? ReadPacket(ReadOnlyMemory<byte> body, List<(uint LinkType, double Unit)> interfaces, bool isLittle, int position)
    {
        const int Overhead = 20;
        if (body.Length < Overhead)
            return null;
        var (index, size) = (CaptureFile.ReadUInt32(body, 0, isLittle), CaptureFile.ReadUInt32(body, 12, isLittle));
        if (index >= interfaces.Count || size > body.Length - Overhead)
            return null;
        var (linkType, unit) = interfaces[(int)index];
        var time = (((ulong)CaptureFile.ReadUInt32(body, 4, isLittle) << 32) | CaptureFile.ReadUInt32(body, 8, isLittle)) * unit;
        return new Packet(time, linkType, body.Slice(Overhead, (int)size), position);
    }

    /// <summary>Returns the unit of times in seconds: the option if_tsresol, or a microsecond.</summary>
    private static double ReadUnit(ReadOnlyMemory<byte> options, bool isLittle)
    {
        const uint TimeResolution = 9;
        for (var at = 0; options.Length - at >= 4;)
        {
            var pair = CaptureFile.ReadUInt32(options, at, isLittle);
            var (code, size) = isLittle ? (pair & 0xFFFF, (int)(pair >> 16)) : (pair >> 16, (int)(pair & 0xFFFF));
            if (code == TimeResolution && size == 1 && options.Length - at > 4)
                return options.Span[at + 4] is var value && value < 0x80 ? Math.Pow(10, -value) : Math.Pow(2, -(value & 0x7F));
            at += 4 + ((size + 3) / 4 * 4);
        }

        return 1e-6;
    }

    private static ToolException Malformed(int at) => ToolException.Invalid(FormattableString.Invariant($"The pcapng file is malformed or ends at byte {at}."));
}
