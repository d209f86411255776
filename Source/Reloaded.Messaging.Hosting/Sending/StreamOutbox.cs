namespace Reloaded.Messaging.Hosting;

/// <summary>The outbox over a stream. Messages are appended under a short lock, and written in order outside of the lock.</summary>
/// <remarks>One writer at a time writes all pending messages together, while other threads append further messages. The more messages are pending, the more messages each write sends, which gives a high throughput.</remarks>
internal sealed class StreamOutbox : Outbox
{
    private ShortLock _gate = new();
    private readonly TransportChannel _channel;
    private readonly Action<Exception> _failed;
    private readonly CancellationToken _stopping;
    private readonly PendingTotal? _total;
    private readonly FrameQueue _queue;
    private AsyncGate _room;
    private Stage _stage;
    private bool _isFlushing; // the thread that set it owns the frames of the running write
    private int _corks;
    private long _writes;
    private long _sentBytes; // only the writer changes it
    private int _lostFrames;

    /// <param name="channel">The channel to write to.</param>
    /// <param name="maxPending">The maximum number of pending bytes.</param>
    /// <param name="failed">Called once when the channel fails. Not called after the outbox was closed.</param>
    /// <param name="stopping">Cancels a write that waits.</param>
    /// <param name="total">The total memory of all outboxes; <c>null</c> for no limit.</param>
    /// <param name="sent">Observes the messages that are sent to a peer; <c>default</c> for no observer.</param>
    public StreamOutbox(
        TransportChannel channel,
        int maxPending,
        Action<Exception> failed,
        CancellationToken stopping,
        PendingTotal? total = null,
        (SentObserver Observer, Peer Peer) sent = default)
        : base(maxPending, sent)
    {
        (_channel, _failed, _stopping, _total) = (channel, failed, stopping, total);
        _queue = new FrameQueue(total);
    }

    public override bool IsClosed
    {
        get
        {
            using (_gate.Enter())
                return _stage == Stage.Closed;
        }
    }

    public override int PendingBytes
    {
        get
        {
            using (_gate.Enter())
                return _queue.Length;
        }
    }

    public override int ChargedBytes => _queue.Charged;

    public override long SentBytes => Volatile.Read(ref _sentBytes);

    public override long? WriteProgress
    {
        get
        {
            var sent = _channel.SentBytes; // before the lock, because the channel may be code of the program
            using (_gate.Enter())
                return _isFlushing && _stage != Stage.Closed ? _writes + sent : null;
        }
    }

    public override int LostFrames => _lostFrames;

    public override bool IsCorked => Volatile.Read(ref _corks) > 0;

    public override Task WaitForRoomAsync(int messageLength, Delivery delivery)
    {
        using (_gate.Enter())
        {
            if (_stage != Stage.Open)
                return Task.CompletedTask;
            var isFull = _queue.PendingLength > 0 && Exceeds(messageLength, maxPending: 0);
            var charge = isFull ? 0 : _queue.Pending.ChargeFor(messageLength);
            var total = charge > 0 ? _total!.WaitForRoomAsync(charge) : Task.CompletedTask;
            if (!isFull && total.IsCompleted)
                return total;
            var room = _room.WaitAsync();
            return isFull ? room : Task.WhenAny(total, room); // the next write of this outbox also makes room
        }
    }

    public override void Cork()
    {
        using (_gate.Enter())
            _corks++;
    }

    public override void Uncork()
    {
        using (_gate.Enter())
        {
            if (--_corks > 0 || !TryBeginFlush())
                return;
        }

        Execute();
    }

    public override Task FlushAsync()
    {
        Task written;
        using (_gate.Enter())
            written = _stage == Stage.Closed ? Task.CompletedTask : _queue.WaitWrittenAsync();

        FlushPending();
        return written;
    }

    public override void Close()
    {
        using (_gate.Enter())
        {
            if (_stage != Stage.Closed)
                CloseLocked();
        }
    }

    protected override SendStatus TryAppend(ref OutgoingFrame frame, out bool mustFlush)
    {
        var isControl = frame.IsControl;
        var large = !isControl && frame.Message.Length >= FrameQueue.LargeMessage ? TryCopy(in frame) : null;
        var status = SendStatus.Sent;
        mustFlush = false;
        frame.LacksTotal = false;
        using (_gate.Enter())
        {
            if (_stage != Stage.Open)
            {
                status = SendStatus.Closed;
            }
            else if (isControl)
            {
                _queue.Pending.Append(frame.Message, isSecret: false, isControl: true);
                frame.Appended?.Invoke();
            }
            else if (_queue.PendingLength > 0 && Exceeds(frame.Before.Length + frame.Message.Length, frame.MaxPending))
            {
                status = SendStatus.Full;
            }
            else if (large is not null)
            {
                _queue.Append(large);
                large = null;
            }
            else if (!_queue.Pending.TryAppend(frame.Before, frame.Message, frame.IsSecret))
            {
                frame.LacksTotal = true;
                status = SendStatus.Full;
            }

            if (status == SendStatus.Sent && !_isFlushing && (_corks == 0 || (!isControl && _queue.PendingLength >= MaxCorked)))
                mustFlush = _isFlushing = true;
        }

        large?.Free();
        return status;
    }

    protected override bool TryAppendLast(ReadOnlySpan<byte> last)
    {
        using (_gate.Enter())
        {
            if (_stage != Stage.Open)
                return false;
            if (!last.IsEmpty)
                _queue.Pending.Append(last, isSecret: false, isControl: true);
            _stage = Stage.Sealed;
            _room.Open();
            return true;
        }
    }

    protected override void Flush() => _ = FlushAllAsync();

    protected override void FlushPending()
    {
        using (_gate.Enter())
        {
            if (!TryBeginFlush())
                return;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Copies a large message that would be accepted now, without the lock, for which other senders would wait.</summary>
    private FrameBuffer? TryCopy(in OutgoingFrame frame)
    {
        using (_gate.Enter())
        {
            if (_stage != Stage.Open || (_queue.PendingLength > 0 && Exceeds(frame.Before.Length + frame.Message.Length, frame.MaxPending)))
                return null;
        }

        return FrameBuffer.TryCopy(in frame, _total);
    }

    /// <summary>Makes the calling thread the writer if frames wait and no thread writes. The caller holds the lock, and flushes after it.</summary>
    private bool TryBeginFlush()
    {
        _gate.AssertHeld();
        if (_isFlushing || _stage == Stage.Closed || _queue.PendingLength == 0)
            return false;
        return _isFlushing = true;
    }

    /// <summary>Whether a message exceeds the limit. Ask only while a message is pending: without one, none does.</summary>
    /// <param name="messageLength">The size of the message, in bytes.</param>
    /// <param name="maxPending">The limit of the message; 0 for the limit of the outbox.</param>
    private bool Exceeds(int messageLength, int maxPending)
    {
        var most = maxPending > 0 ? maxPending + Math.Max(0, _queue.FirstLength - MaxPending) : MaxPending; // beside a large message, replies have their room too
        return _queue.PendingLength + messageLength > most;
    }

    private async Task FlushAllAsync()
    {
        while (TryTake(out var frames))
        {
            try
            {
                await _channel.SendAsync(frames, _stopping).ConfigureAwait(false);
                Volatile.Write(ref _sentBytes, _sentBytes + frames.Length);
            }
            catch (Exception e)
            {
                Fail(e); // no other code observes this task; without this call, an exception would silently end all writes
                return;
            }
        }
    }

    private bool TryTake(out ReadOnlyMemory<byte> frames)
    {
        using (_gate.Enter())
        {
            if (_stage == Stage.Closed)
            {
                _isFlushing = false;
                _queue.FreeWriting();
                frames = default;
                return false;
            }

            _isFlushing = _queue.TryTake(out frames);
            if (!_isFlushing)
                return false;
            _room.Open();
            _writes++;
            return true;
        }
    }

    private void Fail(Exception reason)
    {
        using (_gate.Enter())
        {
            _isFlushing = false;
            if (_stage == Stage.Closed)
                _queue.FreeWriting();
            else
                CloseLocked(); // before another thread can append and begin a write
        }

        _failed(reason);
    }

    private void CloseLocked()
    {
        _gate.AssertHeld();
        _stage = Stage.Closed;
        _lostFrames = _queue.Close(_isFlushing);
        _room.Open();
    }
}
