using System;
using System.Net;
using System.Threading;
using System.Threading.Tasks;
using LiteNetLib;

namespace Reloaded.Messaging.Hosting.LiteNetLib;

/// <summary>One LiteNetLib peer: how packets go out under a bound, come in, and end. What is in them is the derived classes'.</summary>
internal abstract class LiteNetChannel : TransportChannel
{
    /// <summary>How much may be sent without being kept until LiteNetLib has emptied its queue of it.</summary>
    private const int MaxUnsentBytes = 256 * 1024;

    private static readonly TimeSpan s_endTime = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(1);

    private readonly LiteNetTransport _transport;
    private readonly TaskCompletionSource _allArrived = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lazy<Task> _released;
    private int _unsentBytes;
    private long _packetsSent;
    private volatile bool _isGone;

    /// <param name="transport">Whose channel it is.</param>
    /// <param name="peer">LiteNetLib's peer, connected.</param>
    /// <param name="release">Called once, when the channel is done with the peer's manager.</param>
    protected LiteNetChannel(LiteNetTransport transport, NetPeer peer, Func<Task> release)
    {
        _transport = transport;
        Peer = peer;
        _released = new Lazy<Task>(() =>
        {
            peer.Disconnect();
            return release();
        });
        Inbox = new LiteNetInbox(transport.Options.MaxReceivedBytes);
        RemoteName = $"{transport.Scheme}://{(IPEndPoint)peer}";
        RemoteIdentity = GetIdentity(peer);
    }

    public override string RemoteName { get; }

    public override string? RemoteIdentity { get; }

    public override string MaxMessageSizeAdvice => $"Send less at a time, or have {nameof(LiteNetOptions)} deliver it reliably: then LiteNetLib divides it.";

    /// <summary>Whether it is being disposed.</summary>
    public bool IsEnding { get; private set; }

    protected NetPeer Peer { get; }

    protected LiteNetOptions Options => _transport.Options;

    protected LiteNetInbox Inbox { get; }

    /// <summary>Whether it has failed, on either side.</summary>
    protected bool IsGone => _isGone;

    public static LiteNetChannel Create(LiteNetTransport transport, NetPeer peer, bool isStream, Func<Task> release) => transport.Options.CompatibilityMode
        ? new LiteNetVersion2Channel(transport, peer, release)
        : new LiteNetHostChannel(transport, peer, isStream, release);

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
            // LiteNetLib throws away what is queued when it disconnects.
            Peer.NetManager.TriggerUpdate();
            await Task.WhenAny(_allArrived.Task, Task.Delay(s_endTime)).ConfigureAwait(false);
        }

        Abort();
        await _released.Value.ConfigureAwait(false);
    }

    /// <summary>Takes what LiteNetLib received.</summary>
    public virtual void Receive(NetPacketReader reader, DeliveryMethod method)
    {
        if (Inbox.TryAdd(reader))
            return;
        reader.Recycle();
        _transport.CountDropped();
        if (!IsGone && new LiteNetDelivery(method).IsReliable)
        {
            Fail($"{RemoteName} sends faster than it is handled: {Options.MaxReceivedBytes} bytes wait. Raise {nameof(LiteNetOptions)}.{nameof(LiteNetOptions.MaxReceivedBytes)}, or send less.", keepsReceived: false);
            _ = _released.Value;
        }
    }

    /// <summary>Counts a message that the other side cannot be sent.</summary>
    protected void CountUnsendable() => _transport.CountDropped();

    /// <summary>A packet arrived that was sent to be counted.</summary>
    public virtual void NoteDelivered()
    {
    }

    /// <summary>Ends it for a reason that whoever sends or receives is told; after what came before, if that is wanted.</summary>
    public void Fail(string message, bool keepsReceived = true)
    {
        _isGone = true;
        NoteAllArrived();
        Inbox.Fail(new TransportClosedException(message), keepsReceived);
    }

    /// <summary>Sees to it that <see cref="NoteAllArrived"/> is called once the other side has everything.</summary>
    /// <returns>False if it has already.</returns>
    protected abstract bool SendEnd();

    protected void NoteAllArrived() => _allArrived.TrySetResult();

    /// <summary>Waits until LiteNetLib, which queues without a bound, may be given more.</summary>
    protected ValueTask WaitForRoomAsync(LiteNetDelivery delivery, int size, CancellationToken cancellationToken)
    {
        ThrowIfGone();
        return HasRoom(delivery, size) ? default : WaitLongerAsync(delivery, size, cancellationToken);
    }

    /// <summary>Whether LiteNetLib may be given more.</summary>
    protected virtual bool HasRoom(LiteNetDelivery delivery, int size)
    {
        if (delivery.IsReliable)
            return Peer.GetPacketsCountInReliableQueue(delivery.Channel, delivery.Method == DeliveryMethod.ReliableOrdered) < Options.MaxQueuedPackets;
        if (_unsentBytes + size <= MaxUnsentBytes)
            return true;

        // Its update sends all that is queued: one packet more sent than before means that there was one.
        var sent = Peer.Statistics.PacketsSent;
        if (sent == _packetsSent)
            return false;
        (_packetsSent, _unsentBytes) = (sent, 0);
        return true;
    }

    /// <summary>Hands LiteNetLib a packet, which copies it.</summary>
    /// <param name="packet">The packet.</param>
    /// <param name="delivery">How it travels.</param>
    /// <param name="isCounted">Whether <see cref="NoteDelivered"/> is to be called when it has arrived; of reliable ones alone.</param>
    protected void Send(ReadOnlySpan<byte> packet, LiteNetDelivery delivery, bool isCounted = false)
    {
        if (!delivery.IsReliable)
            _unsentBytes += packet.Length;
        try
        {
            if (isCounted)
                Peer.SendWithDeliveryEvent(packet, delivery.Channel, delivery.Method, this);
            else
                Peer.Send(packet, delivery.Channel, delivery.Method);
        }
        catch (TooBigPacketException e)
        {
            throw new TransportClosedException($"LiteNetLib refused {packet.Length} bytes {delivery.Method}: {e.Message}", e);
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

    private void ThrowIfGone()
    {
        if (IsGone)
            throw new TransportClosedException($"The connection to {RemoteName} is closed.");
    }
}
