using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>The outbox over datagrams. The channel has the queues, one for each order. This class finds the delivery of each message, limits the memory of all peers together, and flushes the channel.</summary>
/// <remarks>
/// The channel may be code of the program, so it is called without a lock. A message whose sender holds a lock or must not wait is deferred: the next thread that may call
/// the channel moves all deferred messages to it, in order. While a thread moves them, further messages are deferred too.
/// </remarks>
internal sealed class DatagramOutbox : Outbox
{
    /// <summary>The number of pending bytes that do not count towards the total.</summary>
    private const int MaxUncharged = 64 * 1024;

    private ShortLock _gate = new();
    private readonly DatagramChannel _channel;
    private readonly Action<Exception> _failed;
    private readonly PendingTotal? _total;
    private AsyncGate _room;
    private AsyncGate _moved;
    private Stage _stage;
    private DeferredFrames? _deferred;
    private DeferredFrames? _cleared; // empty; takes the next deferred messages
    private int _deferredBytes; // including those that are being moved
    private byte[]? _last; // follows the deferred messages
    private bool _isMoving; // the thread that set it moves deferred messages to the channel
    private int _deferredFrames; // without control messages; including those that are being moved
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

    public override int PendingBytes => IsClosed ? 0 : _channel.PendingBytes + DeferredBytes;

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

    /// <summary>The number of messages that were not moved to the channel. The channel counts the others that did not arrive.</summary>
    public override int LostFrames
    {
        get
        {
            using (_gate.Enter())
                return _deferredFrames;
        }
    }

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
            if (!HasRoom(messageLength, delivery, MaxPending))
                return room;
            var total = ChargeFor(messageLength) is > 0 and var charge ? _total!.WaitForRoomAsync(charge) : Task.CompletedTask;
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

    public override async Task FlushAsync()
    {
        while (!TryMoveDeferred(out _))
        {
            Task moved;
            using (_gate.Enter())
            {
                if (_stage == Stage.Closed)
                    return;
                moved = _isMoving ? _moved.WaitAsync() : Task.CompletedTask;
            }

            await moved.ConfigureAwait(false);
        }

        Interlocked.Exchange(ref _unflushed, 0);
        if (IsClosed)
            return;
        try
        {
            await _channel.FlushAsync().ConfigureAwait(false);
        }
        catch (Exception e)
        {
            Fail(e);
        }
    }

    public override void Close() => TryClose();

    protected override SendStatus TryAppend(ref OutgoingFrame frame, out bool mustFlush)
    {
        mustFlush = false;
        var delivery = frame.Delivery ?? Deliveries.Find(frame.Message, IsSequencedReadable);
        var status = frame.IsDeferred ? Defer(in frame, delivery) : TryQueue(ref frame, delivery);
        if (status != SendStatus.Sent)
        {
            if (!IsCorked)
                FlushPending(); // this thread may have moved deferred messages, whose flush came before
            return status;
        }

        var size = frame.Before.Length + frame.Message.Length;
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
            _last = last.ToArray();
            _room.Open();
        }

        TryMoveDeferred(out _);
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

    private int DeferredBytes
    {
        get
        {
            using (_gate.Enter())
                return _deferredBytes;
        }
    }

    private SendStatus TryQueue(ref OutgoingFrame frame, Delivery delivery)
    {
        var mayCall = TryMoveDeferred(out var stage);
        if (stage != Stage.Open)
            return SendStatus.Closed;
        var size = frame.Before.Length + frame.Message.Length;
        var maxPending = frame.IsControl ? int.MaxValue : frame.MaxPending > 0 ? frame.MaxPending + Math.Max(0, _largest - MaxPending) : MaxPending; // beside a large message, replies have their room too
        try
        {
            if (!frame.IsControl && (!mayCall || ChargeFor(size) > 0))
            {
                if (!HasRoom(size, delivery, maxPending))
                    return SendStatus.Full;
                frame.LacksTotal = !TryCharge(size);
                if (frame.LacksTotal)
                    return SendStatus.Full;
            }

            if (!mayCall)
                return Defer(in frame, delivery);
            if (_channel.TryQueue(frame.Message, delivery, maxPending, frame.Before))
                return SendStatus.Sent;
        }
        catch (Exception e)
        {
            Fail(e);
        }

        using (_gate.Enter())
            return _stage == Stage.Open ? SendStatus.Full : SendStatus.Closed;
    }

    private bool HasRoom(int size, Delivery delivery, int maxPending)
    {
        var deferred = DeferredBytes;
        return (deferred == 0 || deferred + (long)size <= maxPending) && _channel.HasRoom(size, delivery, maxPending);
    }

    private SendStatus Defer(in OutgoingFrame frame, Delivery delivery)
    {
        var large = DeferredFrames.CopyLarge(in frame);
        using (_gate.Enter())
        {
            if (_stage != Stage.Open)
                return SendStatus.Closed;
            if (_deferred is null)
                (_deferred, _cleared) = (_cleared ?? new DeferredFrames(), null);
            _deferred.Add(in frame, delivery, large);
            _deferredBytes += frame.Before.Length + frame.Message.Length;
            _deferredFrames += frame.IsControl ? 0 : 1;
            frame.Appended?.Invoke();
            return SendStatus.Sent;
        }
    }

    /// <summary>Moves the deferred messages and the last message to the channel, unless another thread moves them.</summary>
    /// <param name="stage">Receives the stage.</param>
    /// <returns><c>false</c> if another thread moves messages. Later messages must not overtake them.</returns>
    private bool TryMoveDeferred(out Stage stage)
    {
        DeferredFrames? frames;
        byte[]? last;
        using (_gate.Enter())
        {
            stage = _stage;
            if (_isMoving)
                return false;
            if (!TryTakeDeferred(out frames, out last))
                return true;
        }

        while (true)
        {
            var (moved, movedFrames) = Move(frames, last);
            using (_gate.Enter())
            {
                _cleared = frames ?? _cleared;
                _deferredBytes -= moved;
                _deferredFrames -= movedFrames;
                stage = _stage;
                if (TryTakeDeferred(out frames, out last))
                    continue;
                _moved.Open();
                _room.Open();
            }

            Interlocked.Increment(ref _unflushed); // the flush of a deferred message may have ended before the message was moved
            return true;
        }
    }

    /// <summary>Takes the deferred messages and the last message. The calling thread moves them. The caller holds the lock.</summary>
    /// <returns><c>false</c> if there are none.</returns>
    private bool TryTakeDeferred(out DeferredFrames? frames, out byte[]? last)
    {
        _gate.AssertHeld();
        (frames, last, _deferred, _last) = (_deferred, _last, null, null);
        return _isMoving = frames is not null || last is not null;
    }

    /// <summary>Moves messages to the channel, and clears them.</summary>
    /// <returns>The bytes that are no longer deferred, and the messages that the channel has.</returns>
    private (int Bytes, int Frames) Move(DeferredFrames? frames, byte[]? last)
    {
        var moved = default((int, int));
        try
        {
            frames?.MoveTo(_channel, out moved);
            if (last is not null)
                _channel.Seal(last);
        }
        catch (Exception e)
        {
            Fail(e);
        }
        finally
        {
            frames?.Clear();
        }

        return moved;
    }

    private void FlushChannel()
    {
        TryMoveDeferred(out var stage); // another thread that moves messages also flushes them
        Interlocked.Exchange(ref _unflushed, 0);
        if (stage == Stage.Closed)
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
        if (_total is null)
            return 0;
        var pending = (long)_channel.PendingBytes + DeferredBytes + messageLength;
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
        var pending = PendingBytes;
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
            _deferred?.Clear();
            (_deferred, _last) = (null, null);
            _moved.Open();
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
