using System.Buffers.Binary;
using System.Net;

namespace Reloaded.Messaging.Tool;

/// <summary>The payload of a TCP segment or a UDP datagram.</summary>
internal readonly record struct Segment(IPEndPoint Source, IPEndPoint Destination, bool IsTcp, uint Sequence, bool IsStart, ReadOnlyMemory<byte> Payload)
{
    private const int Tcp = 6;
    private const int Udp = 17;

    /// <summary>Reads a packet of Ethernet, of a loopback device, of the device "any" of Linux, or of IP.</summary>
    /// <returns><c>null</c> for another packet, and for a fragment of IP.</returns>
    public static Segment? TryRead(Packet packet)
    {
        var bytes = packet.Bytes;
        if (FindStart(packet) is not { } start || bytes.Length <= start)
            return null;
        bytes = bytes.Slice(start);
        return (bytes.Span[0] >> 4) switch
        {
            4 => TryReadIPv4(bytes),
            6 => TryReadIPv6(bytes),
            _ => null,
        };
    }

    /// <summary>Finds the header of IP in a packet.</summary>
    /// <returns><c>null</c> if the link type is not known.</returns>
    public static int? FindStart(Packet packet) => packet.LinkType switch
    {
        0 or 108 => 4, // BSD loopback
        1 => FindEthernetPayload(packet.Bytes.Span),
        101 or 228 or 229 => 0, // IP
        113 => 16, // Linux "any"
        276 => 20, // Linux "any", version 2
        _ => null,
    };

    private static int FindEthernetPayload(ReadOnlySpan<byte> bytes)
    {
        const int VirtualNetwork = 0x8100;
        var at = 12;
        while (bytes.Length >= at + 2 && BinaryPrimitives.ReadUInt16BigEndian(bytes.Slice(at)) == VirtualNetwork)
            at += 4;
        return at + 2;
    }

    private static Segment? TryReadIPv4(ReadOnlyMemory<byte> bytes)
    {
        const int MinHeader = 20;
        var span = bytes.Span;
        if (span.Length < MinHeader)
            return null;
        var (header, total) = ((span[0] & 15) * 4, BinaryPrimitives.ReadUInt16BigEndian(span.Slice(2)));
        var isFragment = (BinaryPrimitives.ReadUInt16BigEndian(span.Slice(6)) & 0x3FFF) != 0;
        if (isFragment || header < MinHeader || span.Length < header || (total != 0 && total < header))
            return null;
        var length = total == 0 ? span.Length : Math.Min(total, span.Length); // 0 if the network adapter splits the packet
        return TryReadTransport(bytes.Slice(header, length - header), span[9], new IPAddress(span.Slice(12, 4)), new IPAddress(span.Slice(16, 4)));
    }

    private static Segment? TryReadIPv6(ReadOnlyMemory<byte> bytes)
    {
        const int Header = 40;
        var span = bytes.Span;
        if (span.Length < Header)
            return null;
        var length = Math.Min(BinaryPrimitives.ReadUInt16BigEndian(span.Slice(4)), span.Length - Header);
        return TryReadTransport(bytes.Slice(Header, length), span[6], new IPAddress(span.Slice(8, 16)), new IPAddress(span.Slice(24, 16)));
    }

    private static Segment? TryReadTransport(ReadOnlyMemory<byte> bytes, int protocol, IPAddress source, IPAddress destination)
    {
        var span = bytes.Span;
        if (span.Length < (protocol == Udp ? 8 : 20) || protocol is not (Tcp or Udp))
            return null;
        var from = new IPEndPoint(source, BinaryPrimitives.ReadUInt16BigEndian(span));
        var to = new IPEndPoint(destination, BinaryPrimitives.ReadUInt16BigEndian(span.Slice(2)));
        if (protocol == Udp)
        {
            var length = Math.Clamp(BinaryPrimitives.ReadUInt16BigEndian(span.Slice(4)), 8, span.Length);
            return new Segment(from, to, false, 0, false, bytes.Slice(8, length - 8));
        }

        const int Syn = 2;
        var header = (span[12] >> 4) * 4;
        return header < 20 || header > span.Length
            ? null
            : new Segment(from, to, true, BinaryPrimitives.ReadUInt32BigEndian(span.Slice(4)), (span[13] & Syn) != 0, bytes.Slice(header));
    }
}
