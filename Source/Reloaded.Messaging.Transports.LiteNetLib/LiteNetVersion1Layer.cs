using System.Buffers.Binary;
using System.Net;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>Lets LiteNetLib 2.1 communicate with LiteNetLib 1.x, with which Reloaded.Messaging 2.0 was built.</summary>
/// <remarks>
/// The two versions call their protocol 13 but cannot connect. Version 2.1 inserted a kind of packet, <c>ReliableMerged</c>, so that every later
/// kind has another number, and it sends every small reliable packet as this kind. The layer changes the numbers in the two directions, and converts
/// a merged packet with one message into a single packet. Version 1.x has no equivalent of a merged packet with several messages, so the user of the layer
/// must queue one message at a time. Verified with LiteNetLib 1.3.1 and 2.1.3; the tests run with 2.1.5.
/// <code>
/// packet          kind in bits 0-4 · connection in bits 5-6, fragmented in bit 7 · rest
/// Channeled       kind · uint16 sequence · channel · payload
/// ReliableMerged  kind · uint16 sequence · channel · { uint16 size · payload }
/// Merged          kind · { uint16 size · packet }
/// </code>
/// </remarks>
/// <param name="host">The counters of the host; <c>null</c> if no host uses the layer.</param>
internal sealed class LiteNetVersion1Layer(DatagramCounters? host = null) : LiteNetLayer(host)
{
    private const int MergedThere = 12;
    private const int MergedHeader = 1;
    private const int ChanneledHeader = 4;

    public override void ProcessInboundPacket(ref IPEndPoint endPoint, ref byte[] data, ref int length)
    {
        ToVersion2(data.AsSpan(0, length));
        base.ProcessInboundPacket(ref endPoint, ref data, ref length);
    }

    public override void ProcessOutBoundPacket(ref IPEndPoint endPoint, ref byte[] data, ref int offset, ref int length)
    {
        base.ProcessOutBoundPacket(ref endPoint, ref data, ref offset, ref length);
        length = ToVersion1(data.AsSpan(offset, length));
    }

    /// <summary>Converts a received datagram.</summary>
    internal static void ToVersion2(Span<byte> packet)
    {
        if (packet.IsEmpty)
            return;
        var kind = packet[0] & KindBits;
        SetKind(packet, kind > Channeled ? kind + 1 : kind);
        if (kind != MergedThere)
            return;
        for (var rest = packet.Slice(MergedHeader); rest.Length > sizeof(ushort);)
        {
            var size = Math.Min(BinaryPrimitives.ReadUInt16LittleEndian(rest), rest.Length - sizeof(ushort));
            if (size > 0)
                ToVersion2(rest.Slice(sizeof(ushort), (rest[sizeof(ushort)] & KindBits) == MergedThere ? 1 : size)); // a merged packet cannot contain a merged packet
            rest = rest.Slice(sizeof(ushort) + size);
        }
    }

    /// <summary>Converts a datagram to send, which may become shorter.</summary>
    /// <returns>The new size.</returns>
    internal static int ToVersion1(Span<byte> packet)
    {
        var kind = packet[0] & KindBits;
        switch (kind)
        {
            case ReliableMerged:
                SetKind(packet, Channeled);
                packet.Slice(ChanneledHeader + sizeof(ushort)).CopyTo(packet.Slice(ChanneledHeader));
                return packet.Length - sizeof(ushort);
            case Merged:
                SetKind(packet, MergedThere);
                return MergedHeader + ToVersion1Each(packet.Slice(MergedHeader));
            default:
                SetKind(packet, kind > Channeled ? kind - 1 : kind);
                return packet.Length;
        }
    }

    private static int ToVersion1Each(Span<byte> packets)
    {
        var written = 0;
        for (var read = 0; read < packets.Length;)
        {
            int size = BinaryPrimitives.ReadUInt16LittleEndian(packets.Slice(read));
            var packet = packets.Slice(read + sizeof(ushort), size);
            read += sizeof(ushort) + size;
            var changed = ToVersion1(packet);
            packet.Slice(0, changed).CopyTo(packets.Slice(written + sizeof(ushort)));
            BinaryPrimitives.WriteUInt16LittleEndian(packets.Slice(written), (ushort)changed);
            written += sizeof(ushort) + changed;
        }

        return written;
    }

    private static void SetKind(Span<byte> packet, int kind) => packet[0] = (byte)((packet[0] & ~KindBits) | kind);
}
