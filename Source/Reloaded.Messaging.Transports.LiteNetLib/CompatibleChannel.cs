using System.Buffers;
using System.Buffers.Binary;
using LiteNetLib;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>A channel to a program built on Reloaded.Messaging 2.0. It sends one message per packet, reliably and in order, with the short header.</summary>
/// <remarks>
/// In 2.0, the lowest seven bits of the first byte are the type. The type 127 is valid there, but in this library it begins the extended header. The
/// channel converts the header of messages of type 127, and never reads a received header as an extended one.
/// </remarks>
internal sealed class CompatibleChannel(LiteNetTransport transport, NetPeer peer, TransportContext context, Func<Task> release) : LiteNetChannel(transport, peer, context, release)
{
    /// <summary>The highest type that 2.0 has.</summary>
    public const uint LastType = 127;

    private const byte CompressedFlag = 0x80;
    private const int TurnsToWait = 200; // LiteNetLib's thread takes the next packet sooner than a timer can wait
    private const int ShortHeader = 1;
    private const int CompressedHeader = ShortHeader + sizeof(int);

    private static readonly SentPacket? s_sent = SentPacket.OfEvents(1, mayBeOvertaken: false);

    private byte[] _converted = [];
    private volatile bool _hasSentEnd;

    /// <summary>Sends one message, without a length.</summary>
    /// <inheritdoc/>
    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) => SendAsync(frames, isReliable: false, cancellationToken);

    protected override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, bool isReliable, CancellationToken cancellationToken)
    {
        await WaitForRoomAsync(LiteNetDelivery.InOrder, frames.Length, cancellationToken).ConfigureAwait(false);
        Send(frames.Span);
        Peer.NetManager.TriggerUpdate();
        for (var turn = 0; turn < TurnsToWait && !HasRoom(LiteNetDelivery.InOrder, 0); turn++)
            Thread.Yield();
    }

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) =>
        throw new NotSupportedException("This channel lends its received messages. Call ReceiveMessageAsync instead.");

    /// <summary>Receives a message, in the form that a dispatcher reads.</summary>
    /// <returns>The message, which is valid until <see cref="ReturnMessage"/>; or empty memory for a packet without a message.</returns>
    /// <exception cref="TransportClosedException">Thrown when the connection has ended.</exception>
    public async ValueTask<ReadOnlyMemory<byte>> ReceiveMessageAsync()
    {
        var packet = await Inbox.ReceiveAsync(default).ConfigureAwait(false);
        return packet.IsEmpty || (packet.Span[0] & LastType) != LastType ? packet : ConvertLast(packet.Span);
    }

    /// <summary>Returns the memory of the received message.</summary>
    public void ReturnMessage()
    {
        Inbox.Return();
        if (_converted.Length > 0)
            ArrayPool<byte>.Shared.Return(_converted, clearArray: true);
        _converted = [];
    }

    public override void NoteDelivered(SentPacket packet)
    {
        base.NoteDelivered(packet);
        if (LostFrames == 0 && _hasSentEnd)
            NoteAllArrived();
    }

    /// <summary>Sends one message at a time, because LiteNetLib 2.1 would merge several messages into one packet, which 1.x cannot read.</summary>
    protected override bool HasRoom(LiteNetDelivery delivery, int size) => CountQueued(delivery) == 0;

    /// <summary>2.0 has no closing message. The acknowledgements of LiteNetLib tell when everything has arrived.</summary>
    protected override bool SendEnd()
    {
        _hasSentEnd = true;
        return LostFrames > 0;
    }

    private void Send(ReadOnlySpan<byte> message)
    {
        if (MessageHeader.TryRead(message, out var header, out var size) != HeaderStatus.Ok)
            throw new ArgumentException("The bytes to send are not a message.", nameof(message));
        if (header.IsShort)
            Send(message, LiteNetDelivery.InOrder, s_sent);
        else
            SendLast(in header, message.Slice(size));
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

    /// <summary>Writes a received message of type 127 with the header of this library.</summary>
    private ReadOnlyMemory<byte> ConvertLast(ReadOnlySpan<byte> packet)
    {
        var isCompressed = (packet[0] & CompressedFlag) != 0;
        var payload = packet.Slice(Math.Min(packet.Length, isCompressed ? CompressedHeader : ShortHeader));
        _converted = ArrayPool<byte>.Shared.Rent(MessageHeader.MaxSize + payload.Length);
        _converted[0] = (byte)LastType; // this byte alone is malformed, which the host counts
        var size = 1;
        if (!isCompressed)
            size = new MessageHeader(LastType).Write(_converted);
        else if (packet.Length >= CompressedHeader && BinaryPrimitives.ReadInt32LittleEndian(packet.Slice(ShortHeader)) is var decompressed and >= 0)
            size = new MessageHeader(LastType).Compressed(decompressed).Write(_converted);
        else
            payload = default;
        payload.CopyTo(_converted.AsSpan(size));
        return _converted.AsMemory(0, size + payload.Length);
    }
}
