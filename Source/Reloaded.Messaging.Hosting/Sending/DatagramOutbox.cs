using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>The outbox over datagrams. The channel has the queues, one for each order. This class finds the delivery of each message, limits the memory of all peers together, and flushes the channel.</summary>
internal sealed class DatagramOutbox : Outbox
{
    /// <summary>The number of pending bytes that do not count towards the total.</summary>
    private const int MaxUncharged = 64 * 1024;

    private readonly ShortLock _gate = new();
    private readonly DatagramChannel _channel;
    private readonly Action<Exception> _failed;
    private readonly PendingTotal? _total;
    private AsyncGate _room;
    private Stage _stage;
    private int _charged;
    private int _largest; // the size of a message above the limit, until nothing is pending
    private int _corks;
    private int _unflushed; // the size of the messages since the last flush, and one for each
    private int _isFlushQueued;
    private long _sentBytes;

    /// <param name="channel">The channel. The outbox sets its <see cref="DatagramChannel.BytesLeft"/>.</param>
    /// <param name="deliveries">The delivery of each message.</param>
    /// <param name="maxPending">The maximum number of pending bytes of each order.</param>
    /// <param name="failed">Called once when the channel fails. Not called after the outbox was closed.</param>
    /// <param name="total">The total memory of all outboxes; <c>null</c> for no limit.</param>
    /// <param name="sent">Observes the messages that are sent to a peer; <c>default</c> for no observer.</param>
    public DatagramOutbox(
        DatagramChannel channel,
        EventDeliveries deliveries,
        int maxPending,
        Action<Exception> failed,
        PendingTotal? total = null,
        (SentObserver Observer, Peer Peer) sent = default)
        : base(maxPending, sent)
    {
        (_channel, Deliveries, _failed, _total) = (channel, deliveries, failed, total);
        channel.BytesLeft = NoteBytesLeft;
    }

    public override EventDeliveries Deliveries { get; }

    public override bool IsClosed
    {
        get
        {
            using (_gate.Enter())
                return _stage == Stage.Closed;
        }
    }

    public override int PendingBytes => IsClosed ? 0 : _channel.PendingBytes;

    public override int ChargedBytes
    {
        get
        {
            using (_gate.Enter())
                return _charged;
        }
    }

    /// <summary>The number of queued bytes. The channel sends them, or counts them as lost.</summary>
    public override long SentBytes => Volatile.Read(ref _sentBytes);

    public override long? WriteProgress => _channel.SentBytes is { } sent && PendingBytes > 0 ? sent : null;

    /// <summary>0: the channel counts the messages that did not arrive.</summary>
    public override int LostFrames => 0;

    public override bool IsCorked => Volatile.Read(ref _corks) > 0;

    public override Task WaitForRoomAsync(int messageLength, Delivery delivery)
    {
        Task room;
        using (_gate.Enter())
        {
            if (_stage != Stage.Open)
                return Task.CompletedTask;
            room = _room.WaitAsync(); // before the channel is asked, so that no room is missed
        }

        try
        {
            if (!_channel.HasRoom(messageLength, delivery, MaxPending))
                return room;
            var total = _total is not null && ChargeFor(messageLength) is > 0 and var charge ? _total.WaitForRoomAsync(charge) : Task.CompletedTask;
            return total.IsCompleted ? total : Task.WhenAny(total, room);
        }
        catch (Exception e)
        {
            Fail(e);
            return Task.CompletedTask;
        }
    }

    public override void Cork() => Interlocked.Increment(ref _corks);

    public override void Uncork()
    {
        if (Interlocked.Decrement(ref _corks) == 0 && Volatile.Read(ref _unflushed) > 0)
            FlushChannel();
    }

    public override Task FlushAsync()
    {
        if (IsClosed)
            return Task.CompletedTask;
        try
        {
            return _channel.FlushAsync();
        }
        catch (Exception e)
        {
            Fail(e);
            return Task.CompletedTask;
        }
    }

    public override void Close() => TryClose();

    protected override SendStatus TryAppend(ref OutgoingFrame frame, out bool mustFlush)
    {
        mustFlush = false;
        if (!IsOpen)
            return SendStatus.Closed;
        var size = frame.Before.Length + frame.Message.Length;
        var delivery = frame.Delivery ?? Deliveries.Find(frame.Message, IsSequencedReadable);
        var maxPending = frame.IsControl ? int.MaxValue : frame.MaxPending > 0 ? frame.MaxPending + Math.Max(0, _largest - MaxPending) : MaxPending; // beside a large message, replies have their room too
        try
        {
            if (!frame.IsControl && _total is not null && ChargeFor(size) > 0)
            {
                if (!_channel.HasRoom(size, delivery, maxPending))
                    return SendStatus.Full;
                frame.LacksTotal = !TryCharge(size);
                if (frame.LacksTotal)
                    return SendStatus.Full;
            }

            if (!_channel.TryQueue(frame.Message, delivery, maxPending, frame.Before))
                return IsOpen ? SendStatus.Full : SendStatus.Closed;
        }
        catch (Exception e)
        {
            Fail(e);
            return SendStatus.Closed;
        }

        frame.Appended?.Invoke();
        if (size > MaxPending)
            NoteLarge(size);
        Interlocked.Add(ref _sentBytes, size + UVarint.SizeOf((uint)frame.Message.Length));
        var unflushed = Interlocked.Add(ref _unflushed, size + 1);
        if (!IsCorked || (!frame.IsControl && unflushed >= MaxCorked))
            mustFlush = Interlocked.Exchange(ref _isFlushQueued, 1) == 0;
        return SendStatus.Sent;
    }

    protected override bool TryAppendLast(ReadOnlySpan<byte> last)
    {
        using (_gate.Enter())
        {
            if (_stage != Stage.Open)
                return false;
            _stage = Stage.Sealed;
            _room.Open();
        }

        try
        {
            _channel.Seal(last);
        }
        catch (Exception e)
        {
            Fail(e);
        }

        return true;
    }

    protected override void Flush()
    {
        Interlocked.Exchange(ref _isFlushQueued, 0); // before the flush: a message that is queued later has another one
        FlushChannel();
    }

    protected override void FlushPending()
    {
        if (Volatile.Read(ref _unflushed) > 0 && Interlocked.Exchange(ref _isFlushQueued, 1) == 0)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    private bool IsOpen
    {
        get
        {
            using (_gate.Enter())
                return _stage == Stage.Open;
        }
    }

    private void FlushChannel()
    {
        Interlocked.Exchange(ref _unflushed, 0);
        if (IsClosed)
            return;
        try
        {
            _channel.Flush();
        }
        catch (Exception e)
        {
            Fail(e); // the caller may be an item of the thread pool, which would end the process
        }
    }

    /// <summary>The bytes that a message would add to the charge. The charge grows in steps, so that most messages change nothing.</summary>
    private int ChargeFor(int messageLength)
    {
        var pending = (long)_channel.PendingBytes + messageLength;
        return (int)Math.Max(0, Math.Min(int.MaxValue, StepsOf(pending) - ChargedBytes));
    }

    private static long StepsOf(long pending) => pending <= MaxUncharged ? 0 : (pending + MaxUncharged - 1) / MaxUncharged * MaxUncharged;

    private bool TryCharge(int messageLength)
    {
        var charge = ChargeFor(messageLength);
        using (_gate.Enter())
        {
            if (_stage != Stage.Open || charge == 0)
                return true;
            if (!_total!.TryTake(charge))
                return false;
            _charged += charge;
            return true;
        }
    }

    private void NoteLarge(int size)
    {
        using (_gate.Enter())
            _largest = Math.Max(_largest, size);
    }

    private void NoteBytesLeft()
    {
        var pending = IsClosed ? 0 : _channel.PendingBytes;
        using (_gate.Enter())
        {
            _room.Open();
            _largest = pending == 0 ? 0 : _largest;
            FreeLocked((int)Math.Max(0, _charged - StepsOf(pending)));
        }
    }

    private void FreeLocked(int charge)
    {
        _gate.AssertHeld();
        if (charge == 0)
            return;
        _total!.Free(charge);
        _charged -= charge;
    }

    private bool TryClose()
    {
        using (_gate.Enter())
        {
            if (_stage == Stage.Closed)
                return false;
            _stage = Stage.Closed;
            FreeLocked(_charged);
            _room.Open();
            return true;
        }
    }

    private void Fail(Exception reason)
    {
        if (TryClose())
            _failed(reason);
    }
}
