using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>The messages to be sent to one peer. They are appended under a short lock, and written in order outside of the lock.</summary>
/// <remarks>
/// One writer at a time writes all pending messages together, while other threads append further messages. The more messages are pending, the more
/// messages each write sends, which gives a high throughput. A flush is queued to the thread pool after the work that is already queued there, so that
/// messages of that work are sent in the same write.
/// </remarks>
internal sealed class Outbox : IThreadPoolWorkItem
{
    /// <summary>The maximum number of corked bytes. At this number they are written, so that the replies to one large read do not fill the outbox of a peer that reads.</summary>
    private const int MaxCorked = 64 * 1024;

    private readonly ShortLock _gate = new();
    private readonly TransportChannel _channel;
    private readonly Action<Exception> _failed;
    private readonly CancellationToken _stopping;
    private readonly PendingTotal? _total;
    private readonly FrameQueue _queue;
    private readonly SentObserver? _observer;
    private readonly Peer? _peer;
    private AsyncGate _room;
    private bool _isFlushing;
    private bool _isSealed;
    private bool _hasGoodbye;
    private bool _isClosed;
    private int _corks;
    private long _writes;
    private long _sentBytes; // only the writer changes it

    /// <param name="channel">The channel to write to.</param>
    /// <param name="maxPending">The maximum number of pending bytes.</param>
    /// <param name="failed">Called once when the channel fails. Not called after the outbox was closed.</param>
    /// <param name="stopping">Cancels a write that waits.</param>
    /// <param name="prefix">The length prefix of each message.</param>
    /// <param name="total">The total memory of all outboxes; <c>null</c> for no limit.</param>
    /// <param name="sent">Observes the messages that are sent to a peer; <c>default</c> for no observer.</param>
    public Outbox(
        TransportChannel channel,
        int maxPending,
        Action<Exception> failed,
        CancellationToken stopping,
        LengthPrefix prefix = LengthPrefix.UVarint,
        PendingTotal? total = null,
        (SentObserver Observer, Peer Peer) sent = default)
    {
        (_observer, _peer) = sent;
        _total = total;
        _channel = channel;
        MaxPending = maxPending;
        _failed = failed;
        _stopping = stopping;
        _queue = new FrameQueue(prefix, total);
    }

    /// <summary>The number of frames that were appended and not written when the outbox was closed, without the last frame of <see cref="TrySeal"/>. Frames of a write that was running may have arrived; this side cannot know.</summary>
    public int LostFrames { get; private set; }

    /// <summary>Whether the outbox accepts and writes nothing more.</summary>
    public bool IsClosed
    {
        get
        {
            using (_gate.Enter())
                return _isClosed;
        }
    }

    /// <summary>Finds the delivery of each message; <c>null</c> if the channel delivers all messages in the same way.</summary>
    public EventDeliveries? Deliveries { get; init; }

    /// <summary>Whether the remote side reads sequenced events.</summary>
    public bool IsSequencedReadable { get; set; }

    /// <summary>The next outbox of a chain. Only the thread that has to flush this outbox uses the property.</summary>
    public Outbox? NextToFlush { get; set; }

    /// <summary>The maximum number of pending bytes.</summary>
    public int MaxPending { get; }

    /// <summary>The bytes that wait, and the bytes that are being written.</summary>
    public int PendingBytes
    {
        get
        {
            using (_gate.Enter())
                return _queue.Length;
        }
    }

    /// <summary>The number of bytes that the channel has accepted.</summary>
    public long SentBytes => Volatile.Read(ref _sentBytes);

    /// <summary>The bytes of this outbox that count towards the total.</summary>
    public int ChargedBytes => _queue.Charged;

    /// <summary>A number that grows as the remote side accepts written bytes. <c>null</c> if no write is running, or if the channel does not report progress.</summary>
    public long? WriteProgress
    {
        get
        {
            using (_gate.Enter())
                return _isFlushing && !_isClosed && _channel.SentBytes is { } sent ? _writes + sent : null;
        }
    }

    /// <summary>Appends a message.</summary>
    /// <param name="message">The header and the payload. They are copied.</param>
    /// <param name="isSecret">Whether to zero the bytes after they are written.</param>
    /// <param name="maxPending">The maximum number of pending bytes. An empty outbox accepts a message of any size, as far as the total allows it.</param>
    /// <param name="lacksTotal">Whether the message was refused because the limit of all outboxes together is reached.</param>
    public SendStatus TryAppend(ReadOnlySpan<byte> message, bool isSecret, int maxPending, out bool lacksTotal)
    {
        var status = TryAppendUnobserved(message, isSecret, maxPending, out lacksTotal, out var time);
        if (status == SendStatus.Sent)
            NoteSent(message, isSecret, time);
        return status;
    }

    /// <summary>Appends a message within the limit of this outbox, with a message directly before it.</summary>
    /// <param name="before">The message before it; empty for none. Either both messages are appended, or none.</param>
    /// <param name="message">The header and the payload. They are copied.</param>
    /// <param name="isSecret">Whether to zero the bytes after they are written.</param>
    public SendStatus TryAppend(ReadOnlySpan<byte> before, ReadOnlySpan<byte> message, bool isSecret)
    {
        var chain = default(FlushChain);
        var status = TryAppend(before, message, isSecret, ref chain);
        chain.Start();
        return status;
    }

    /// <summary>Appends a message for a caller that holds a lock, under which no tap may run. The caller passes a sent message to <see cref="NoteSent"/> after it has left the lock.</summary>
    /// <param name="message">The header and the payload. They are copied.</param>
    /// <param name="isSecret">Whether to zero the bytes after they are written.</param>
    /// <param name="maxPending">The maximum number of pending bytes.</param>
    /// <param name="lacksTotal">Whether the message was refused because the limit of all outboxes together is reached.</param>
    /// <param name="time">The time to pass to <see cref="NoteSent"/>.</param>
    public SendStatus TryAppendUnobserved(ReadOnlySpan<byte> message, bool isSecret, int maxPending, out bool lacksTotal, out long time)
    {
        time = BeginObserving();
        var status = AppendUnobserved(default, message, isSecret, maxPending, out lacksTotal, out var hasToFlush);
        if (hasToFlush)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        return status;
    }

    /// <summary>Calls the taps for a message that was sent. Call it without a lock.</summary>
    /// <param name="message">The header and the payload.</param>
    /// <param name="isSecret">Whether the message is secret.</param>
    /// <param name="time">The time at which the message was appended; 0 if the message is not observed.</param>
    public void NoteSent(ReadOnlySpan<byte> message, bool isSecret, long time)
    {
        if (time != 0)
            _observer!.NoteSent(_peer!, message, isSecret, time);
    }

    /// <summary>Appends a message that is sent to many peers, within the limit of this outbox. The chain flushes the outbox.</summary>
    /// <inheritdoc cref="TryAppend(ReadOnlySpan{byte}, ReadOnlySpan{byte}, bool)"/>
    public SendStatus TryAppend(ReadOnlySpan<byte> before, ReadOnlySpan<byte> message, bool isSecret, ref FlushChain chain)
    {
        var time = BeginObserving();
        var status = AppendUnobserved(before, message, isSecret, MaxPending, out _, out var hasToFlush);
        if (hasToFlush && time == 0)
            chain.Add(this);
        else if (hasToFlush)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false); // before the taps, which may wait
        if (status != SendStatus.Sent || time == 0)
            return status;
        if (!before.IsEmpty)
            NoteSent(before, isSecret: false, time);
        NoteSent(message, isSecret, time);
        return status;
    }

    private SendStatus AppendUnobserved(ReadOnlySpan<byte> before, ReadOnlySpan<byte> message, bool isSecret, int maxPending, out bool lacksTotal, out bool hasToFlush)
    {
        lacksTotal = false;
        hasToFlush = false;
        var delivery = Deliveries?.Find(message, IsSequencedReadable) ?? Delivery.Unreliable;
        using (_gate.Enter())
        {
            if (_isClosed || _isSealed)
                return SendStatus.Closed;
            if (Exceeds(before.Length + message.Length, maxPending))
                return SendStatus.Full;
            lacksTotal = !_queue.Pending.TryAppend(before, message, isSecret, delivery);
            if (lacksTotal)
                return SendStatus.Full;
            if (_isFlushing || (_corks > 0 && _queue.Pending.Length < MaxCorked))
                return SendStatus.Sent;
            hasToFlush = _isFlushing = true;
            return SendStatus.Sent;
        }
    }

    /// <summary>Appends a control message regardless of the limits, because the connection could not continue without it.</summary>
    /// <param name="message">The header and the payload. They are copied.</param>
    /// <param name="appended">Called before the message can be written or another message can be appended.</param>
    /// <param name="delivery">The delivery of the message.</param>
    /// <param name="observesLater">Whether taps observe the message on the thread pool, because the caller holds a lock or must not wait.</param>
    public void TryAppendControl(ReadOnlySpan<byte> message, Action? appended = null, Delivery delivery = default, bool observesLater = false)
    {
        var time = BeginObserving();
        bool hasToFlush;
        using (_gate.Enter())
        {
            if (_isClosed || _isSealed)
                return;
            _queue.Pending.Append(message, isSecret: false, _channel.UsesDelivery ? delivery : default);
            appended?.Invoke();
            hasToFlush = !_isFlushing && _corks == 0;
            _isFlushing |= hasToFlush;
        }

        if (hasToFlush)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        if (!observesLater)
            NoteSent(message, isSecret: false, time);
        else if (time != 0)
            NoteSentLater(message.ToArray(), time);
    }

    /// <summary>Appends a message, within the limit of this outbox.</summary>
    public SendStatus TryAppend(ReadOnlySpan<byte> message, bool isSecret) => TryAppend(message, isSecret, MaxPending, out _);

    /// <summary>Delays the writing of messages until the matching <see cref="Uncork"/>, or until the maximum number of corked bytes is reached.</summary>
    public void Cork()
    {
        using (_gate.Enter())
            _corks++;
    }

    /// <summary>Ends a <see cref="Cork"/>. The last call writes the pending messages on this thread, as far as the channel accepts them at once.</summary>
    public void Uncork()
    {
        using (_gate.Enter())
        {
            if (--_corks > 0 || _isFlushing || _isClosed || _queue.Pending.Length == 0)
                return;
            _isFlushing = true;
        }

        Execute();
    }

    /// <summary>Completes at once if the outbox would accept a message now or is closed; otherwise, completes when it may accept the message.</summary>
    /// <param name="messageLength">The size of the message, in bytes.</param>
    public Task WaitForRoomAsync(int messageLength)
    {
        using (_gate.Enter())
        {
            if (_isClosed || _isSealed)
                return Task.CompletedTask;
            var isFull = Exceeds(messageLength, MaxPending);
            var charge = isFull ? 0 : _queue.Pending.ChargeFor(messageLength);
            var total = charge > 0 ? _total!.WaitForRoomAsync(charge) : Task.CompletedTask;
            if (!isFull && total.IsCompleted)
                return total;
            var room = _room.WaitAsync();
            return isFull ? room : Task.WhenAny(total, room); // the next write of this outbox also makes room
        }
    }

    /// <summary>Writes the pending messages, including corked messages. Completes when every message appended before this call is written, or when the outbox is closed.</summary>
    public Task FlushAsync()
    {
        Task written;
        using (_gate.Enter())
        {
            written = _isClosed ? Task.CompletedTask : _queue.WaitWrittenAsync();
        }

        FlushPending();
        return written;
    }

    /// <summary>Writes corked messages. Used when the caller of <see cref="Cork"/> takes long, for example because a handler does not return.</summary>
    public void FlushCorked()
    {
        if (Volatile.Read(ref _corks) > 0)
            FlushPending();
    }

    private void FlushPending()
    {
        using (_gate.Enter())
        {
            if (_isFlushing || _isClosed || _queue.Pending.Length == 0)
                return;
            _isFlushing = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Appends a last message. Further messages are refused. Pending messages are still written.</summary>
    /// <param name="last">The message; empty for no message.</param>
    /// <returns><c>false</c> if the outbox is already sealed or closed; otherwise, <c>true</c>.</returns>
    public bool TrySeal(ReadOnlySpan<byte> last)
    {
        var time = last.IsEmpty ? 0 : BeginObserving();
        using (_gate.Enter())
        {
            if (_isClosed || _isSealed)
                return false;
            if (!last.IsEmpty)
                _queue.Pending.Append(last, isSecret: false, _channel.UsesDelivery ? Delivery.Reliable : default);
            _hasGoodbye = !last.IsEmpty;
            _isSealed = true;
            _room.Open();
        }

        NoteSent(last, isSecret: false, time);
        return true;
    }

    /// <summary>Refuses further messages and counts the messages that were not written. May be called more than once.</summary>
    public void Close()
    {
        using (_gate.Enter())
        {
            if (!_isClosed)
                CloseLocked();
        }
    }

    /// <summary>Flushes this outbox and the rest of its chain on the thread pool.</summary>
    public void Execute()
    {
        if (FlushChain.Cut(this) is { } rest)
            ThreadPool.UnsafeQueueUserWorkItem(rest, preferLocal: false); // another thread can flush it meanwhile
        for (var outbox = this; outbox is not null;)
        {
            var next = outbox.NextToFlush;
            outbox.NextToFlush = null; // before the flush, which may end and be followed by one of another chain
            _ = outbox.FlushAllAsync();
            outbox = next;
        }
    }

    private long BeginObserving() => _observer is { IsActive: true } ? _observer.Begin(_peer!) : 0;

    /// <remarks>Separate from its caller, which would allocate the closure for each message.</remarks>
    private void NoteSentLater(byte[] message, long time) => ThreadPool.UnsafeQueueUserWorkItem(_ => NoteSent(message, isSecret: false, time), null);

    private bool Exceeds(int messageLength, int maxPending) => _queue.Pending.Length > 0 && _queue.Pending.Length + messageLength > maxPending;

    private async Task FlushAllAsync()
    {
        while (TryTake(out var frames))
        {
            try
            {
                if (!_channel.UsesDelivery)
                    await _channel.SendAsync(frames, Delivery.Reliable, _stopping).ConfigureAwait(false);
                else
                    await SendEachAsync(frames).ConfigureAwait(false);
                Volatile.Write(ref _sentBytes, _sentBytes + frames.Length);
            }
            catch (Exception e)
            {
                Fail(e); // no other code observes this task; without this call, an exception would silently end all writes
                return;
            }
        }
    }

    /// <summary>Sends frames in parts, each with one delivery.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask SendEachAsync(ReadOnlyMemory<byte> frames)
    {
        while (!frames.IsEmpty)
            await _channel.SendAsync(_queue.TakeAlike(ref frames, out var delivery), delivery, _stopping).ConfigureAwait(false);
    }

    private bool TryTake(out ReadOnlyMemory<byte> frames)
    {
        using (_gate.Enter())
        {
            if (_isClosed)
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
            if (_isClosed)
            {
                _queue.FreeWriting();
                return;
            }

            CloseLocked(); // before another thread can append and begin a write
        }

        _failed(reason);
    }

    private void CloseLocked()
    {
        _isClosed = true;
        var unwritten = _queue.Close(_isFlushing);
        LostFrames = _hasGoodbye && unwritten > 0 ? unwritten - 1 : unwritten; // the remote side may answer a goodbye before its write has completed here
        _room.Open();
    }
}

/// <summary>Observes the messages that the connections of a host send. While it is inactive, a message costs one load and one branch.</summary>
internal abstract class SentObserver
{
    private bool _isActive;

    /// <summary>Whether messages are observed. Thread-safe.</summary>
    public bool IsActive
    {
        get => Volatile.Read(ref _isActive);
        protected set => Volatile.Write(ref _isActive, value);
    }

    /// <summary>Begins the observation of one message, before another thread can write it or receive its reply.</summary>
    /// <returns>The time in ticks of <see cref="System.Diagnostics.Stopwatch"/>; 0 if the message is not observed.</returns>
    public abstract long Begin(Peer peer);

    /// <summary>Observes a message that was appended to an outbox. Never throws. Called outside of the lock of the outbox.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="message">The header and the payload.</param>
    /// <param name="isSecret">Whether the message is secret.</param>
    /// <param name="time">The result of <see cref="Begin"/>.</param>
    public abstract void NoteSent(Peer peer, ReadOnlySpan<byte> message, bool isSecret, long time);
}
