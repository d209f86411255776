using System;
using System.Threading;
using System.Threading.Tasks;
using LiteNetLib;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.LiteNetLib;

/// <summary>Between two hosts of this library: frames that travel alike share a packet, and what LiteNetLib received is handled where it is.</summary>
/// <remarks>
/// The end is a packet too, a frame of no bytes, which no message has. Nothing overtakes it: who receives it has received all, and disconnects.
/// Events that travel in other ways do overtake what is in order. Frames that the connection sends as <see cref="Delivery.Reliable"/> must not be overtaken: events wait until these have arrived.
/// </remarks>
/// <param name="transport">Whose channel it is.</param>
/// <param name="peer">LiteNetLib's peer, connected.</param>
/// <param name="isStream">Whether what is sent is a stream, of what <see cref="MessageHostOptions.Protection"/> makes of frames, and not frames.</param>
/// <param name="release">Called once, when the channel is done with the peer's manager.</param>
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

    /// <summary>Returns the size of what goes into the next packet.</summary>
    private int Cut(ReadOnlySpan<byte> frames, bool isReliable, out LiteNetDelivery delivery)
    {
        delivery = LiteNetDelivery.InOrder;
        if (isStream)
        {
            var packet = Peer.GetMaxSinglePacketSize(delivery.Method);
            return frames.Length <= packet ? frames.Length : Math.Min(packet, frames.Length - 2); // a last packet of one byte could look like the end
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

    /// <summary>Takes the next frame, and returns how it travels. LiteNetLib divides reliable packets alone: an event that no single packet has room for goes in order.</summary>
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
