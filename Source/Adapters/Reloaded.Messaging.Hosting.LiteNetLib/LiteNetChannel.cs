using System;
using System.Net;
using System.Threading;
using System.Threading.Tasks;
using LiteNetLib;
using Reloaded.Messaging.Hosting.Channels;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.LiteNetLib;

/// <summary>One LiteNetLib peer. Frames that travel alike share a packet; a packet is handed to LiteNetLib whole, and sent at the end of each send.</summary>
internal sealed class LiteNetChannel : MessageChannel
{
    /// <summary>How much may be sent without being kept until LiteNetLib has emptied its queue of it.</summary>
    private const int MaxUnsentBytes = 256 * 1024;

    /// <summary>A frame of no bytes, which no message has.</summary>
    private static readonly byte[] s_end = [0];

    private static readonly TimeSpan s_endTime = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(1);

    private readonly LiteNetTransport _transport;
    private readonly NetPeer _peer;
    private readonly LiteNetInbox _inbox;
    private readonly bool _isStream;
    private readonly TaskCompletionSource _otherEnd = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lazy<Task> _released;
    private Memory<byte> _rest;
    private int _unsentBytes;
    private long _packetsSent;
    private volatile bool _isGone;
    private volatile bool _hasEnded;

    /// <param name="transport">Whose channel it is.</param>
    /// <param name="peer">LiteNetLib's peer, connected.</param>
    /// <param name="isStream">Whether what is sent is a stream, of what <see cref="HostOptions.Protection"/> makes of frames, and not frames.</param>
    /// <param name="release">Called once, when the channel is done with the peer's manager.</param>
    public LiteNetChannel(LiteNetTransport transport, NetPeer peer, bool isStream, Func<Task> release)
    {
        _isStream = isStream;
        _transport = transport;
        _peer = peer;
        _released = new Lazy<Task>(() =>
        {
            peer.Disconnect();
            return release();
        });
        _inbox = new LiteNetInbox(transport.Options.MaxReceivedBytes);
        RemoteName = $"{transport.Scheme}://{(IPEndPoint)peer}";
        RemoteIdentity = IPAddress.IsLoopback(peer.Address) ? null : peer.Address.ToString();
    }

    public override string RemoteName { get; }

    public override string? RemoteIdentity { get; }

    public override string MaxMessageSizeAdvice => $"Send less at a time, or have {nameof(LiteNetOptions)} deliver it reliably: then LiteNetLib divides it.";

    public override bool LendsFrames => !_isStream;

    /// <summary>Whether it is being disposed.</summary>
    public bool IsEnding { get; private set; }

    private LiteNetOptions Options => _transport.Options;

    public override int GetMaxMessageSize(ReadOnlySpan<byte> message)
    {
        var delivery = DeliveryOf(message);
        if (delivery.IsDivided)
            return int.MaxValue;
        var room = _peer.GetMaxSinglePacketSize(delivery.Method);
        return room - UVarint.SizeOf((uint)room);
    }

    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        while (frames.Length > 0)
        {
            ThrowIfGone();
            var size = Cut(frames.Span, out var delivery);
            while (!HasRoom(delivery, size))
            {
                _peer.NetManager.TriggerUpdate();
                await Task.Delay(s_tick, cancellationToken).ConfigureAwait(false);
                ThrowIfGone();
            }

            Send(frames.Span.Slice(0, size), delivery);
            frames = frames.Slice(size);
        }

        _peer.NetManager.TriggerUpdate();
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

    public override ValueTask<Memory<byte>> ReceiveFramesAsync(CancellationToken cancellationToken) => _inbox.ReceiveAsync(cancellationToken);

    public override void ReturnFrames() => _inbox.Return();

    public override void Abort()
    {
        Fail($"The connection to {RemoteName} was closed on this side.", keepsReceived: false);
        _ = _released.Value;
    }

    public override async ValueTask DisposeAsync()
    {
        IsEnding = true;
        if (!_isGone && !_hasEnded)
        {
            // LiteNetLib throws away what is queued when it disconnects. So the end is a packet too, that nothing overtakes: who receives it has
            // received all, and disconnects.
            _peer.Send(s_end, LiteNetDelivery.InOrder.Channel, LiteNetDelivery.InOrder.Method);
            _peer.NetManager.TriggerUpdate();
            await Task.WhenAny(_otherEnd.Task, Task.Delay(s_endTime)).ConfigureAwait(false);
        }

        Abort();
        await _released.Value.ConfigureAwait(false);
    }

    /// <summary>Takes what LiteNetLib received.</summary>
    public void Receive(NetPacketReader reader, DeliveryMethod method)
    {
        if (reader.AvailableBytes == s_end.Length && reader.PeekByte() == s_end[0])
        {
            reader.Recycle();
            _hasEnded = true;
            _otherEnd.TrySetResult();
            _inbox.End();
            return;
        }

        if (_inbox.TryAdd(reader))
            return;
        reader.Recycle();
        _transport.CountDropped();
        if (!_isGone && new LiteNetDelivery(method).IsReliable)
        {
            Fail($"{RemoteName} sends faster than it is handled: {Options.MaxReceivedBytes} bytes wait. Raise {nameof(LiteNetOptions)}.{nameof(LiteNetOptions.MaxReceivedBytes)}, or send less.", keepsReceived: false);
            _ = _released.Value;
        }
    }

    /// <summary>Ends it for a reason that whoever sends or receives is told; after what came before, if that is wanted.</summary>
    public void Fail(string message, bool keepsReceived = true)
    {
        _isGone = true;
        _otherEnd.TrySetResult();
        _inbox.Fail(new ChannelClosedException(message), keepsReceived);
    }

    private void ThrowIfGone()
    {
        if (_isGone)
            throw new ChannelClosedException($"The connection to {RemoteName} is closed.");
    }

    /// <summary>Whether LiteNetLib, which queues without a bound, may be given more.</summary>
    private bool HasRoom(LiteNetDelivery delivery, int size)
    {
        if (delivery.IsReliable)
            return _peer.GetPacketsCountInReliableQueue(delivery.Channel, delivery.Method == DeliveryMethod.ReliableOrdered) < Options.MaxQueuedPackets;
        if (_unsentBytes + size <= MaxUnsentBytes)
            return true;

        // Its update sends all that is queued: one packet more sent than before means that there was one.
        var sent = _peer.Statistics.PacketsSent;
        if (sent == _packetsSent)
            return false;
        (_packetsSent, _unsentBytes) = (sent, 0);
        return true;
    }

    private void Send(ReadOnlySpan<byte> packet, LiteNetDelivery delivery)
    {
        if (!delivery.IsReliable)
            _unsentBytes += packet.Length;
        try
        {
            _peer.Send(packet, delivery.Channel, delivery.Method);
        }
        catch (TooBigPacketException e)
        {
            throw new ChannelClosedException($"LiteNetLib refused {packet.Length} bytes {delivery.Method}: {e.Message}", e);
        }
    }

    /// <summary>How a message travels: events as the options say, everything else as over TCP.</summary>
    private LiteNetDelivery DeliveryOf(ReadOnlySpan<byte> message) =>
        MessageHeader.TryRead(message, out var header, out _) == HeaderStatus.Ok && header.Kind == MessageKind.Event
            ? Options.DeliveryOf(header.Type)
            : LiteNetDelivery.InOrder;

    /// <summary>Cuts off the frames at the start that go into one packet.</summary>
    private int Cut(ReadOnlySpan<byte> frames, out LiteNetDelivery delivery)
    {
        delivery = LiteNetDelivery.InOrder;
        var rest = frames;
        if (!_isStream)
            delivery = ReadOne(ref rest);
        var room = _peer.GetMaxSinglePacketSize(delivery.Method);
        if (_isStream)
            return frames.Length <= room ? frames.Length : Math.Min(room, frames.Length - 2); // a last packet of one byte could look like the end
        var size = frames.Length - rest.Length;
        while (!rest.IsEmpty && ReadOne(ref rest) == delivery && frames.Length - rest.Length <= room)
            size = frames.Length - rest.Length;
        return size;
    }

    private LiteNetDelivery ReadOne(ref ReadOnlySpan<byte> rest) => Frame.TryRead(ref rest, int.MaxValue, out var message) == FrameStatus.Ok
        ? DeliveryOf(message)
        : throw new ArgumentException("What is to be sent is not whole frames.", nameof(rest));
}
