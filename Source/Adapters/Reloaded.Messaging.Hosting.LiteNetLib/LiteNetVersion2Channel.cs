using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Threading;
using System.Threading.Tasks;
using LiteNetLib;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.LiteNetLib;

/// <summary>To a program built on Reloaded.Messaging 2.0: one message a packet, reliable and in order, under the short header alone.</summary>
/// <remarks>
/// Programs built on 2.0 know events of the types 0 to 127: other messages are dropped and counted by <see cref="LiteNetTransport.Dropped"/>. There the lowest seven bits of the first byte are the type, 127 included, which in this library begins the extended header. A message of
/// type 127 is given the header that the other side of it knows; nothing received is ever read as an extended one.
/// </remarks>
internal sealed class LiteNetVersion2Channel(LiteNetTransport transport, NetPeer peer, Func<Task> release) : LiteNetChannel(transport, peer, release)
{
    private const uint LastType = 127;
    private const byte CompressedFlag = 0x80;
    private const int TurnsToWait = 200; // LiteNetLib's own thread takes the next packet some 50 us later; the timer, a millisecond
    private const int ShortHeader = 1;
    private const int CompressedHeader = ShortHeader + sizeof(int);

    private byte[] _frame = [];
    private int _unconfirmed;
    private volatile bool _hasSentEnd;

    public override bool IsForeign => true;

    public override bool LendsFrames => true;

    /// <summary>By LiteNetLib's own acknowledgements: there is no message that says goodbye, so that nobody there hangs up.</summary>
    public override bool KnowsDelivery => true;

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
        throw new NotSupportedException("It lends its frames: call ReceiveFramesAsync.");

    public override async ValueTask<Memory<byte>> ReceiveFramesAsync(CancellationToken cancellationToken)
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

    public override void ReturnFrames()
    {
        if (_frame.Length > 0)
            ArrayPool<byte>.Shared.Return(_frame, clearArray: true);
        _frame = [];
    }

    public override void NoteDelivered()
    {
        if (Interlocked.Decrement(ref _unconfirmed) == 0 && _hasSentEnd)
            NoteAllArrived();
    }

    /// <summary>One at a time: of several LiteNetLib 2.1 makes one packet, which 1.x can't read.</summary>
    protected override bool HasRoom(LiteNetDelivery delivery, int size) => Peer.GetPacketsCountInReliableQueue(delivery.Channel, ordered: true) == 0;

    protected override bool SendEnd()
    {
        _hasSentEnd = true;
        return Volatile.Read(ref _unconfirmed) > 0;
    }

    private int SendOne(ReadOnlySpan<byte> frames)
    {
        var rest = frames;
        if (Frame.TryRead(ref rest, int.MaxValue, out var message) != FrameStatus.Ok || MessageHeader.TryRead(message, out var header, out var size) != HeaderStatus.Ok)
            throw new ArgumentException("What is to be sent is not whole frames.", nameof(frames));
        if (header is not { Kind: MessageKind.Event, Type: <= LastType })
        {
            CountUnsendable();
            return frames.Length - rest.Length;
        }

        Interlocked.Increment(ref _unconfirmed);
        if (header.IsShort)
            Send(message, LiteNetDelivery.InOrder, isCounted: true);
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
        Send(packet.AsSpan(0, start + payload.Length), LiteNetDelivery.InOrder, isCounted: true);
        ArrayPool<byte>.Shared.Return(packet, clearArray: true);
    }

    /// <summary>Puts a message behind its length, where the host reads it.</summary>
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
                payload = packet.Slice(0, 1); // by itself it is malformed, which the host counts
            }
        }

        var prefix = UVarint.Write(_frame, (uint)(size + payload.Length));
        header.Slice(0, size).CopyTo(_frame.AsSpan(prefix));
        payload.CopyTo(_frame.AsSpan(prefix + size));
        return _frame.AsMemory(0, prefix + size + payload.Length);
    }
}
