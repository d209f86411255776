using System;
using System.Buffers;
using System.Buffers.Binary;
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
