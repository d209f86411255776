using LiteNetLib;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>A channel between two hosts of this library. Frames with the same delivery share a packet, and received packets are handled in LiteNetLib's memory.</summary>
/// <remarks>
/// The end of the connection is a packet too: an empty frame, which no message has. No packet overtakes it. The receiver of this packet has received
/// everything, and disconnects. Events with another delivery and ordered packets do overtake each other. Frames that the connection sends as
/// <see cref="Delivery.Reliable"/> must not be overtaken, and must not overtake: such frames and these events wait until the others have arrived.
/// </remarks>
/// <param name="transport">The transport of the channel.</param>
/// <param name="peer">The connected peer of LiteNetLib.</param>
/// <param name="context">The settings of the host. With <see cref="TransportContext.Protection"/>, the sent bytes are an encrypted stream instead of frames.</param>
/// <param name="release">Called once, when the channel does not need the peer's manager any more.</param>
internal sealed class LiteNetHostChannel(LiteNetTransport transport, NetPeer peer, TransportContext context, Func<Task> release) : LiteNetChannel(transport, peer, context, release), ILendsFrames
{
    private static readonly byte[] s_end = [0];

    private readonly bool _isStream = context.Protection is not null;
    private Memory<byte> _rest;
    private int _reliablesUnderWay;
    private int _othersUnderWay;
    private bool _isReliable;
    private volatile bool _hasEnded;

    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) => SendAsync(frames, isReliable: false, cancellationToken);

    protected override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, bool isReliable, CancellationToken cancellationToken)
    {
        _isReliable = isReliable;
        try
        {
            while (frames.Length > 0)
            {
                var size = Cut(frames.Span, _isReliable, out var how, out var events);
                await WaitForRoomAsync(how, size, cancellationToken).ConfigureAwait(false);
                Send(frames.Span.Slice(0, size), how, Count(how, events));
                frames = frames.Slice(size);
            }
        }
        catch
        {
            CountLost(_isStream ? 0 : LiteNetQueue.CountMessages(frames.Span)); // the caller knows the bytes of a stream
            throw;
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

    public ValueTask<Memory<byte>> ReceiveFramesAsync(CancellationToken cancellationToken) => Inbox.ReceiveAsync(cancellationToken);

    public void ReturnFrames() => Inbox.Return();

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

    public override void NoteDelivered(SentPacket packet)
    {
        base.NoteDelivered(packet);
        if (packet == SentPacket.Control)
            Interlocked.Decrement(ref _reliablesUnderWay);
        else if (packet.MayBeOvertaken)
            Interlocked.Decrement(ref _othersUnderWay);
    }

    protected override bool HasRoom(LiteNetDelivery delivery, int size)
    {
        var isFree = _isReliable ? Volatile.Read(ref _othersUnderWay) == 0 : delivery == LiteNetDelivery.InOrder || Volatile.Read(ref _reliablesUnderWay) == 0;
        return isFree && base.HasRoom(delivery, size);
    }

    protected override bool SendEnd()
    {
        if (_hasEnded)
            return false;
        Send(s_end, LiteNetDelivery.InOrder);
        return true;
    }

    /// <summary>Counts a packet that is about to be sent.</summary>
    /// <returns>The object with which LiteNetLib reports the arrival of the packet, or <c>null</c> if the arrival need not be known.</returns>
    private SentPacket? Count(LiteNetDelivery delivery, int events)
    {
        if (_isReliable)
        {
            Interlocked.Increment(ref _reliablesUnderWay);
            return SentPacket.Control;
        }

        var packet = delivery.IsReliable ? SentPacket.OfEvents(events, delivery != LiteNetDelivery.InOrder) : null;
        if (packet is { MayBeOvertaken: true })
            Interlocked.Increment(ref _othersUnderWay);
        return packet;
    }

    /// <summary>Returns the size of the next packet's contents, and the number of events in it. A packet of an encrypted stream counts as one event.</summary>
    private int Cut(ReadOnlySpan<byte> frames, bool isReliable, out LiteNetDelivery delivery, out int events)
    {
        delivery = LiteNetDelivery.InOrder;
        events = 1;
        if (_isStream)
        {
            var packet = Peer.GetMaxSinglePacketSize(delivery.Method);
            return frames.Length <= packet ? frames.Length : Math.Min(packet, frames.Length - 2); // a last packet of one byte could be mistaken for the end
        }

        var rest = frames;
        delivery = ReadOne(ref rest, isReliable, out var isEvent);
        events = isEvent ? 1 : 0;
        var room = Peer.GetMaxSinglePacketSize(delivery.Method);
        var size = frames.Length - rest.Length;
        while (!rest.IsEmpty)
        {
            if (ReadOne(ref rest, isReliable, out isEvent) != delivery || frames.Length - rest.Length > room)
                break;
            size = frames.Length - rest.Length;
            events += isEvent ? 1 : 0;
        }

        return size;
    }

    /// <summary>Takes the next frame, and returns its delivery. LiteNetLib divides only reliable packets, so an event that is too large for one packet is sent reliably and in order.</summary>
    private LiteNetDelivery ReadOne(ref ReadOnlySpan<byte> rest, bool isReliable, out bool isEvent)
    {
        isEvent = false;
        var before = rest.Length;
        if (Frame.TryRead(ref rest, int.MaxValue, out var message) != FrameStatus.Ok)
            throw new ArgumentException("The bytes to send are not whole frames.", nameof(rest));
        if (isReliable || MessageHeader.TryRead(message, out var header, out _) != HeaderStatus.Ok || header.Kind != MessageKind.Event)
            return LiteNetDelivery.InOrder;
        isEvent = true;
        var delivery = Options.DeliveryOf(header.Type);
        return delivery.IsReliable || before - rest.Length <= Peer.GetMaxSinglePacketSize(delivery.Method) ? delivery : LiteNetDelivery.InOrder;
    }
}
