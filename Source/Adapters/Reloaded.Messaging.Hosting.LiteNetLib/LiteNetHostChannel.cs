using System;
using System.Threading;
using System.Threading.Tasks;
using LiteNetLib;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.LiteNetLib;

/// <summary>Between two hosts of this library: frames that travel alike share a packet, and what LiteNetLib received is handled where it is.</summary>
/// <remarks>
/// The end is a packet too, a frame of no bytes, which no message has. Nothing overtakes it: who receives it has received all, and disconnects.
/// Events that travel in other ways do overtake what is in order. A hello must not be: they wait until it has arrived.
/// </remarks>
/// <param name="transport">Whose channel it is.</param>
/// <param name="peer">LiteNetLib's peer, connected.</param>
/// <param name="isStream">Whether what is sent is a stream, of what <see cref="MessageHostOptions.Protection"/> makes of frames, and not frames.</param>
/// <param name="release">Called once, when the channel is done with the peer's manager.</param>
internal sealed class LiteNetHostChannel(LiteNetTransport transport, NetPeer peer, bool isStream, Func<Task> release) : LiteNetChannel(transport, peer, release)
{
    private static readonly byte[] s_end = [0];

    private Memory<byte> _rest;
    private int _hellosUnderWay;
    private volatile bool _hasEnded;

    public override bool LendsFrames => !isStream;

    public override int GetMaxMessageSize(ReadOnlySpan<byte> message)
    {
        if (MessageHeader.TryRead(message, out var header, out _) != HeaderStatus.Ok || header.Kind != MessageKind.Event)
            return int.MaxValue;
        var delivery = Options.DeliveryOf(header.Type);
        if (delivery.IsReliable)
            return int.MaxValue;
        var room = Peer.GetMaxSinglePacketSize(delivery.Method);
        return room - UVarint.SizeOf((uint)room);
    }

    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        while (frames.Length > 0)
        {
            var size = Cut(frames.Span, out var delivery, out var isHello);
            await WaitForRoomAsync(delivery, size, cancellationToken).ConfigureAwait(false);
            if (isHello)
                Interlocked.Increment(ref _hellosUnderWay);
            Send(frames.Span.Slice(0, size), delivery, isCounted: isHello);
            frames = frames.Slice(size);
        }

        Peer.NetManager.TriggerUpdate();
    }

    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        if (_rest.IsEmpty)
        {
            ReturnFrames();
            _rest = await ReceiveFramesAsync(cancellationToken).ConfigureAwait(false);
        }

        var size = Math.Min(buffer.Length, _rest.Length);
        _rest.Slice(0, size).CopyTo(buffer);
        _rest = _rest.Slice(size);
        return size;
    }

    public override ValueTask<Memory<byte>> ReceiveFramesAsync(CancellationToken cancellationToken) => Inbox.ReceiveAsync(cancellationToken);

    public override void ReturnFrames() => Inbox.Return();

    public override void Receive(NetPacketReader reader, DeliveryMethod method)
    {
        if (reader.AvailableBytes != s_end.Length || reader.PeekByte() != s_end[0])
        {
            base.Receive(reader, method);
            return;
        }

        reader.Recycle();
        _hasEnded = true;
        NoteAllArrived();
        Inbox.End();
    }

    public override void NoteDelivered() => Interlocked.Decrement(ref _hellosUnderWay);

    protected override bool HasRoom(LiteNetDelivery delivery, int size) =>
        (delivery == LiteNetDelivery.InOrder || Volatile.Read(ref _hellosUnderWay) == 0) && base.HasRoom(delivery, size);

    protected override bool SendEnd()
    {
        if (_hasEnded)
            return false;
        Send(s_end, LiteNetDelivery.InOrder);
        return true;
    }

    /// <summary>Cuts off what goes into one packet.</summary>
    private int Cut(ReadOnlySpan<byte> frames, out LiteNetDelivery delivery, out bool isHello)
    {
        (delivery, isHello) = (LiteNetDelivery.InOrder, false);
        var rest = frames;
        if (!isStream)
            delivery = ReadOne(ref rest, ref isHello);
        var room = Peer.GetMaxSinglePacketSize(delivery.Method);
        if (isStream)
            return frames.Length <= room ? frames.Length : Math.Min(room, frames.Length - 2); // a last packet of one byte could look like the end
        var size = frames.Length - rest.Length;
        while (!rest.IsEmpty && !isHello)
        {
            var isNextHello = false;
            if (ReadOne(ref rest, ref isNextHello) != delivery || frames.Length - rest.Length > room || isNextHello)
                break;
            size = frames.Length - rest.Length;
        }

        return size;
    }

    private LiteNetDelivery ReadOne(ref ReadOnlySpan<byte> rest, ref bool isHello)
    {
        if (Frame.TryRead(ref rest, int.MaxValue, out var message) != FrameStatus.Ok || MessageHeader.TryRead(message, out var header, out _) != HeaderStatus.Ok)
            throw new ArgumentException("What is to be sent is not whole frames.", nameof(rest));
        isHello = header is { Kind: MessageKind.Control, Type: ControlCode.Hello };
        return header.Kind == MessageKind.Event ? Options.DeliveryOf(header.Type) : LiteNetDelivery.InOrder;
    }
}
