using System.Net;
using LiteNetLib;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>A channel over one LiteNetLib peer. It sends packets with a bound, receives packets, and ends. Derived classes define the contents of packets.</summary>
internal abstract class LiteNetChannel : DatagramChannel
{
    /// <summary>The number of bytes that may be sent unreliably before LiteNetLib has emptied its queue.</summary>
    private const int MaxUnsentBytes = 256 * 1024;

    /// <summary>The number of datagrams after which the receiver has its acknowledgements sent. A quarter of LiteNetLib's window, so that the sender rarely waits for them.</summary>
    private const int MaxUnacknowledged = 16;

    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(1);

    private readonly LiteNetTransport _transport;
    private readonly TimeSpan _flushTimeout;
    private readonly LiteNetQueue _queue;
    private readonly TaskCompletionSource _allArrived = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lazy<Task> _released;
    private LiteNetDelivery _lastReliable = LiteNetDelivery.InOrder; // two bytes, so another thread reads it whole
    private int _unsentBytes;
    private int _unacknowledged;
    private long _packetsSent;
    private int _lostFrames;
    private volatile bool _isGone;

    /// <param name="transport">The transport of the channel.</param>
    /// <param name="peer">The connected peer of LiteNetLib.</param>
    /// <param name="context">The settings of the host.</param>
    /// <param name="release">Called once, when the channel does not need the peer's manager any more.</param>
    protected LiteNetChannel(LiteNetTransport transport, NetPeer peer, TransportContext context, Func<Task> release)
    {
        _transport = transport;
        _flushTimeout = context.FlushTimeout;
        Peer = peer;
        _released = new Lazy<Task>(() =>
        {
            peer.Disconnect();
            return release();
        });
        _queue = new LiteNetQueue((frames, isReliable) => SendAsync(frames, isReliable, CancellationToken.None), FailSend, () => BytesLeft?.Invoke());
        Inbox = new LiteNetInbox(transport.Options.MaxReceivedBytes);
        RemoteName = $"{transport.Scheme}://{(IPEndPoint)peer}";
        RemoteIdentity = GetIdentity(peer);
    }

    public override string RemoteName { get; }

    public override string? RemoteIdentity { get; }

    public override string MaxMessageSizeAdvice => $"Send smaller messages, or use reliable delivery in {nameof(LiteNetOptions)}, with which LiteNetLib divides large messages.";

    /// <summary>The number of sent messages whose arrival was not confirmed: each reliable event, and each message of a <see cref="CompatibleHost"/>.</summary>
    public override int LostFrames => Volatile.Read(ref _lostFrames);

    public override int PendingBytes => _queue.PendingBytes;

    /// <summary>Whether the channel is being disposed.</summary>
    public bool IsEnding { get; private set; }

    protected NetPeer Peer { get; }

    protected LiteNetOptions Options => _transport.Options;

    protected LiteNetInbox Inbox { get; }

    /// <summary>Whether the channel has failed, on either side.</summary>
    protected bool IsGone => _isGone;

    public static LiteNetChannel Create(LiteNetTransport transport, NetPeer peer, TransportContext context, bool isCompatible, Func<Task> release) => isCompatible
        ? new CompatibleChannel(transport, peer, context, release)
        : new LiteNetHostChannel(transport, peer, context, release);

    public override bool TryQueue(ReadOnlySpan<byte> message, Delivery delivery, int maxPending, ReadOnlySpan<byte> before = default)
    {
        ThrowIfGone();
        return _queue.TryAdd(before, message, delivery == Delivery.Reliable, maxPending);
    }

    public override bool HasRoom(int size, Delivery delivery, int maxPending) => _queue.HasRoom(size, maxPending);

    public override void Flush() => _queue.Flush();

    public override Task FlushAsync() => _queue.FlushAsync();

    public override void Seal(ReadOnlySpan<byte> last) => _queue.Seal(last);

    public override void Abort()
    {
        Fail($"The connection to {RemoteName} was closed on this side.", keepsReceived: false);
        _ = _released.Value;
    }

    public override async ValueTask DisposeAsync()
    {
        IsEnding = true;
        if (!IsGone && SendEnd())
        {
            // LiteNetLib discards its queue when it disconnects.
            Peer.NetManager.TriggerUpdate();
            await ((ReceivingManager)Peer.NetManager).WaitAsync(_allArrived.Task, _flushTimeout).ConfigureAwait(false);
        }

        Abort();
        await _released.Value.ConfigureAwait(false);
    }

    /// <summary>Handles a packet that LiteNetLib received.</summary>
    public virtual void Receive(NetPacketReader reader, DeliveryMethod method)
    {
        if (Inbox.TryAdd(reader))
            return;
        reader.Recycle();
        _transport.CountDropped();
        if (!IsGone && !IsEnding && new LiteNetDelivery(method).IsReliable)
        {
            Fail($"{RemoteName} sends faster than its messages are handled, and more than {Options.MaxReceivedBytes} bytes wait. Send less, or handle the messages faster.", keepsReceived: false);
            _ = _released.Value;
        }
    }

    /// <summary>Records the arrival of a datagram that LiteNetLib acknowledges. Called on LiteNetLib's receiving thread.</summary>
    public void NoteReliableArrived()
    {
        if (++_unacknowledged < MaxUnacknowledged)
            return;
        _unacknowledged = 0;
        Peer.NetManager.TriggerUpdate();
    }

    /// <summary>Records the arrival of an acknowledgement, which makes room for queued packets. Called on LiteNetLib's receiving thread.</summary>
    public void NoteAcknowledged()
    {
        if (CountQueued(_lastReliable) > 0)
            Peer.NetManager.TriggerUpdate();
    }

    /// <summary>Records the arrival of a packet that was sent with a <see cref="SentPacket"/>. Called on LiteNetLib's receiving thread.</summary>
    public virtual void NoteDelivered(SentPacket packet)
    {
        Interlocked.Add(ref _lostFrames, -packet.Events);
        NoteAcknowledged(); // again, because the update of the first call may have run before LiteNetLib read the acknowledgement
    }

    /// <summary>Ends the channel for a reason, which senders and receivers get as an exception. Packets received before can still be received if the caller requests this.</summary>
    public void Fail(string message, bool keepsReceived = true)
    {
        _isGone = true;
        NoteAllArrived();
        Inbox.Fail(new TransportClosedException(message), keepsReceived);
        CountLost(_queue.End());
    }

    /// <summary>Sends frames. Waits until LiteNetLib may receive them.</summary>
    /// <param name="frames">Whole frames.</param>
    /// <param name="isReliable">Whether no other frame may overtake them: <see cref="Delivery.Reliable"/>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    protected abstract ValueTask SendAsync(ReadOnlyMemory<byte> frames, bool isReliable, CancellationToken cancellationToken);

    /// <summary>Requests a call of <see cref="NoteAllArrived"/> when the remote side has received everything.</summary>
    /// <returns><c>false</c> if the remote side has already received everything; otherwise, <c>true</c>.</returns>
    protected abstract bool SendEnd();

    /// <summary>Counts messages that are not sent.</summary>
    protected void CountLost(int messages) => Interlocked.Add(ref _lostFrames, messages);

    protected void NoteAllArrived() => _allArrived.TrySetResult();

    /// <summary>Waits until LiteNetLib, whose queue has no bound, may receive further packets.</summary>
    protected ValueTask WaitForRoomAsync(LiteNetDelivery delivery, int size, CancellationToken cancellationToken)
    {
        ThrowIfGone();
        return HasRoom(delivery, size) ? default : WaitLongerAsync(delivery, size, cancellationToken);
    }

    /// <summary>Whether LiteNetLib may receive further packets.</summary>
    protected virtual bool HasRoom(LiteNetDelivery delivery, int size)
    {
        if (delivery.IsReliable)
            return CountQueued(delivery) < Options.MaxQueuedPackets;
        if (_unsentBytes + size <= MaxUnsentBytes)
            return true;

        // The update of LiteNetLib sends all queued packets, so an increased count of sent packets shows that it has run.
        var sent = Peer.Statistics.PacketsSent;
        if (sent == _packetsSent)
            return false;
        (_packetsSent, _unsentBytes) = (sent, 0);
        return true;
    }

    /// <summary>Returns the number of packets that LiteNetLib has not sent yet. Only for reliable deliveries.</summary>
    protected int CountQueued(LiteNetDelivery delivery) => Peer.GetPacketsCountInReliableQueue(delivery.Channel, delivery.Method == DeliveryMethod.ReliableOrdered);

    /// <summary>Passes a packet to LiteNetLib, which copies it.</summary>
    /// <param name="packet">The packet.</param>
    /// <param name="delivery">The delivery method and channel.</param>
    /// <param name="counted">Passed to <see cref="NoteDelivered"/> when the packet has arrived; <c>null</c> for no call. Only for reliable packets.</param>
    protected void Send(ReadOnlySpan<byte> packet, LiteNetDelivery delivery, SentPacket? counted = null)
    {
        if (delivery.IsReliable)
            _lastReliable = delivery;
        else
            _unsentBytes += packet.Length;
        try
        {
            if (counted is null)
            {
                Peer.Send(packet, delivery.Channel, delivery.Method);
                return;
            }

            Interlocked.Add(ref _lostFrames, counted.Events); // before LiteNetLib can report the arrival
            Peer.SendWithDeliveryEvent(packet, delivery.Channel, delivery.Method, counted);
        }
        catch (TooBigPacketException e)
        {
            throw new TransportClosedException($"LiteNetLib refused to send {packet.Length} bytes with {delivery.Method}. {e.Message}", e);
        }
    }

    private async ValueTask WaitLongerAsync(LiteNetDelivery delivery, int size, CancellationToken cancellationToken)
    {
        do
        {
            Peer.NetManager.TriggerUpdate();
            await Task.Delay(s_tick, cancellationToken).ConfigureAwait(false);
            ThrowIfGone();
        }
        while (!HasRoom(delivery, size));
    }

    private void FailSend(Exception reason, int dropped)
    {
        CountLost(dropped);
        Fail(reason.Message);
    }

    private void ThrowIfGone()
    {
        if (IsGone)
            throw new TransportClosedException($"The connection to {RemoteName} is closed.");
    }
}
