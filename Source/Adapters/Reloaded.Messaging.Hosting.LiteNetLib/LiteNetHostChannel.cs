using System;
using System.Threading;
using System.Threading.Tasks;
using LiteNetLib;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.LiteNetLib;

/// <summary>A channel between two hosts of this library. Frames with the same delivery share a packet, and received packets are handled in LiteNetLib's memory.</summary>
/// <remarks>
/// The end of the connection is a packet too: an empty frame, which no message has. No packet overtakes it. The receiver of this packet has received
/// everything, and disconnects. Events with another delivery do overtake ordered packets. Frames that the connection sends as
/// <see cref="Delivery.Reliable"/> must not be overtaken, so events wait until these frames have arrived.
/// </remarks>
/// <param name="transport">The transport of the channel.</param>
/// <param name="peer">The connected peer of LiteNetLib.</param>
/// <param name="isStream">Whether the sent bytes are an encrypted stream (<see cref="MessageHostOptions.Protection"/>) instead of frames.</param>
/// <param name="release">Called once, when the channel does not need the peer's manager any more.</param>
internal sealed class LiteNetHostChannel(LiteNetTransport transport, NetPeer peer, bool isStream, Func<Task> release) : LiteNetChannel(transport, peer, release)
{
    private static readonly byte[] s_end = [0];

    private Memory<byte> _rest;
    private int _reliablesUnderWay;
    private volatile bool _hasEnded;

    public override bool LendsFrames => !isStream;

    public override bool UsesDelivery => !isStream;

    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        var isReliable = delivery == Delivery.Reliable && !isStream;
        while (frames.Length > 0)
        {
            var size = Cut(frames.Span, isReliable, out var how);
            await WaitForRoomAsync(how, size, cancellationToken).ConfigureAwait(false);
            if (isReliable)
                Interlocked.Increment(ref _reliablesUnderWay);
            Send(frames.Span.Slice(0, size), how, isCounted: isReliable);
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

    public override void NoteDelivered() => Interlocked.Decrement(ref _reliablesUnderWay);

    protected override bool HasRoom(LiteNetDelivery delivery, int size) =>
        (delivery == LiteNetDelivery.InOrder || Volatile.Read(ref _reliablesUnderWay) == 0) && base.HasRoom(delivery, size);

    protected override bool SendEnd()
    {
        if (_hasEnded)
            return false;
        Send(s_end, LiteNetDelivery.InOrder);
        return true;
    }

    /// <summary>Returns the size of the next packet's contents.</summary>
    private int Cut(ReadOnlySpan<byte> frames, bool isReliable, out LiteNetDelivery delivery)
    {
        delivery = LiteNetDelivery.InOrder;
        if (isStream)
        {
            var packet = Peer.GetMaxSinglePacketSize(delivery.Method);
            return frames.Length <= packet ? frames.Length : Math.Min(packet, frames.Length - 2); // a last packet of one byte could be mistaken for the end
        }

        var rest = frames;
        delivery = ReadOne(ref rest, isReliable);
        var room = Peer.GetMaxSinglePacketSize(delivery.Method);
        var size = frames.Length - rest.Length;
        while (!rest.IsEmpty)
        {
            if (ReadOne(ref rest, isReliable) != delivery || frames.Length - rest.Length > room)
                break;
            size = frames.Length - rest.Length;
        }

        return size;
    }

    /// <summary>Takes the next frame, and returns its delivery. LiteNetLib divides only reliable packets, so an event that is too large for one packet is sent reliably and in order.</summary>
    private LiteNetDelivery ReadOne(ref ReadOnlySpan<byte> rest, bool isReliable)
    {
        var before = rest.Length;
        if (Frame.TryRead(ref rest, int.MaxValue, out var message) != FrameStatus.Ok)
            throw new ArgumentException("The bytes to send are not whole frames.", nameof(rest));
        if (isReliable || MessageHeader.TryRead(message, out var header, out _) != HeaderStatus.Ok || header.Kind != MessageKind.Event)
            return LiteNetDelivery.InOrder;
        var delivery = Options.DeliveryOf(header.Type);
        return delivery.IsReliable || before - rest.Length <= Peer.GetMaxSinglePacketSize(delivery.Method) ? delivery : LiteNetDelivery.InOrder;
    }
}
