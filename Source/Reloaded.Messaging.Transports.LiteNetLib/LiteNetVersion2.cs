using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Net;
using System.Threading;
using System.Threading.Tasks;
using LiteNetLib;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>A channel to a program built on Reloaded.Messaging 2.0. It sends one message per packet, reliably and in order, with the short header.</summary>
/// <remarks>
/// Programs built on 2.0 support only events of the types 0 to 127. Other messages are dropped and counted by <see cref="LiteNetTransport.Dropped"/>.
/// In 2.0, the lowest seven bits of the first byte are the type. The type 127 is valid there, but in this library it begins the extended header. The
/// channel converts the header of messages of type 127, and never reads a received header as an extended one.
/// </remarks>
internal sealed class LiteNetVersion2Channel(LiteNetTransport transport, NetPeer peer, TransportContext context, Func<Task> release) : LiteNetChannel(transport, peer, context, release), ILendsFrames
{
    private const uint LastType = 127;
    private const byte CompressedFlag = 0x80;
    private const int TurnsToWait = 200; // LiteNetLib's thread takes the next packet sooner than a timer can wait
    private const int ShortHeader = 1;
    private const int CompressedHeader = ShortHeader + sizeof(int);

    private static readonly ForeignPeer s_version2 = new() { MaxMessageType = LastType };
    private static readonly SentPacket? s_sent = SentPacket.OfEvents(1, mayBeOvertaken: false);

    private byte[] _frame = [];
    private volatile bool _hasSentEnd;

    /// <summary>2.0 has no closing message, so the remote side does not disconnect by itself. The acknowledgements of LiteNetLib tell when everything has arrived.</summary>
    public override ForeignPeer? Foreign => s_version2;

    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        while (frames.Length > 0)
        {
            await WaitForRoomAsync(LiteNetDelivery.InOrder, frames.Length, cancellationToken).ConfigureAwait(false);
            frames = frames.Slice(SendOne(frames.Span));
            Peer.NetManager.TriggerUpdate();
            for (var turn = 0; turn < TurnsToWait && !HasRoom(LiteNetDelivery.InOrder, 0); turn++)
                Thread.Yield();
        }
    }

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) =>
        throw new NotSupportedException("This channel lends its received frames. Call ReceiveFramesAsync instead.");

    public async ValueTask<Memory<byte>> ReceiveFramesAsync(CancellationToken cancellationToken)
    {
        var packet = await Inbox.ReceiveAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            return packet.IsEmpty ? default : ToFrame(packet.Span);
        }
        finally
        {
            Inbox.Return();
        }
    }

    public void ReturnFrames()
    {
        if (_frame.Length > 0)
            ArrayPool<byte>.Shared.Return(_frame, clearArray: true);
        _frame = [];
    }

    public override void NoteDelivered(SentPacket packet)
    {
        base.NoteDelivered(packet);
        if (LostFrames == 0 && _hasSentEnd)
            NoteAllArrived();
    }

    /// <summary>Sends one message at a time, because LiteNetLib 2.1 would merge several messages into one packet, which 1.x cannot read.</summary>
    protected override bool HasRoom(LiteNetDelivery delivery, int size) => CountQueued(delivery) == 0;

    protected override bool SendEnd()
    {
        _hasSentEnd = true;
        return LostFrames > 0;
    }

    private int SendOne(ReadOnlySpan<byte> frames)
    {
        var rest = frames;
        if (Frame.TryRead(ref rest, int.MaxValue, out var message) != FrameStatus.Ok || MessageHeader.TryRead(message, out var header, out var size) != HeaderStatus.Ok)
            throw new ArgumentException("The bytes to send are not whole frames.", nameof(frames));
        if (header is not { Kind: MessageKind.Event, Type: <= LastType })
        {
            CountUnsendable();
            return frames.Length - rest.Length;
        }

        if (header.IsShort)
            Send(message, LiteNetDelivery.InOrder, s_sent);
        else
            SendLast(in header, message.Slice(size));
        return frames.Length - rest.Length;
    }

    private void SendLast(in MessageHeader header, ReadOnlySpan<byte> payload)
    {
        var packet = ArrayPool<byte>.Shared.Rent(CompressedHeader + payload.Length);
        var start = header.IsCompressed ? CompressedHeader : ShortHeader;
        packet[0] = (byte)(header.IsCompressed ? LastType | CompressedFlag : LastType);
        if (header.IsCompressed)
            BinaryPrimitives.WriteInt32LittleEndian(packet.AsSpan(ShortHeader), header.DecompressedSize);
        payload.CopyTo(packet.AsSpan(start));
        Send(packet.AsSpan(0, start + payload.Length), LiteNetDelivery.InOrder, s_sent);
        ArrayPool<byte>.Shared.Return(packet, clearArray: true);
    }

    /// <summary>Writes a message after its length, in the form that the host reads.</summary>
    private Memory<byte> ToFrame(ReadOnlySpan<byte> packet)
    {
        _frame = ArrayPool<byte>.Shared.Rent(UVarint.MaxSize + MessageHeader.MaxSize + packet.Length);
        Span<byte> header = stackalloc byte[MessageHeader.MaxSize];
        var size = 0;
        var payload = packet;
        if ((packet[0] & LastType) == LastType)
        {
            var isCompressed = (packet[0] & CompressedFlag) != 0;
            var start = isCompressed ? CompressedHeader : ShortHeader;
            if (packet.Length >= start && (!isCompressed || BinaryPrimitives.ReadInt32LittleEndian(packet.Slice(ShortHeader)) >= 0))
            {
                var last = new MessageHeader(LastType);
                size = (isCompressed ? last.Compressed(BinaryPrimitives.ReadInt32LittleEndian(packet.Slice(ShortHeader))) : last).Write(header);
                payload = packet.Slice(start);
            }
            else
            {
                payload = packet.Slice(0, 1); // this byte alone is malformed, which the host counts
            }
        }

        var prefix = UVarint.Write(_frame, (uint)(size + payload.Length));
        header.Slice(0, size).CopyTo(_frame.AsSpan(prefix));
        payload.CopyTo(_frame.AsSpan(prefix + size));
        return _frame.AsMemory(0, prefix + size + payload.Length);
    }
}

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
