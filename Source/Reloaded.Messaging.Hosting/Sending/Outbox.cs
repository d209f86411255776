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

    private static readonly Delivery s_reliable = Delivery.Reliable;

    private readonly ShortLock _gate = new();
    private readonly TransportChannel _channel;
    private readonly bool _usesDelivery;
    private readonly Action<Exception> _failed;
    private readonly CancellationToken _stopping;
    private readonly PendingTotal? _total;
    private readonly FrameQueue _queue;
    private readonly SentObserver? _observer;
    private readonly Peer? _peer;
    private AsyncGate _room;
    private Stage _stage;
    private bool _isFlushing; // the thread that set it owns the frames of the running write
    private bool _hasGoodbye;
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
        _usesDelivery = channel.UsesDelivery;
        MaxPending = maxPending;
        _failed = failed;
        _stopping = stopping;
        _queue = new FrameQueue(prefix, total);
    }

    /// <summary>The messages that an outbox accepts. A later stage is never left.</summary>
    private enum Stage
    {
        /// <summary>Messages are accepted.</summary>
        Open,

        /// <summary>No message is accepted. The pending messages are written.</summary>
        Sealed,

        /// <summary>No message is accepted, and nothing more is written. A running write may not have ended.</summary>
        Closed,
    }

    /// <summary>The number of frames that were appended and not written when the outbox was closed, without the last frame of <see cref="TrySeal"/>. Frames of a write that was running may have arrived; this side cannot know.</summary>
    public int LostFrames { get; private set; }

    /// <summary>Whether the outbox accepts and writes nothing more.</summary>
    public bool IsClosed
    {
        get
        {
            using (_gate.Enter())
                return _stage == Stage.Closed;
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
            var sent = _channel.SentBytes; // before the lock, because the channel may be code of the program
            using (_gate.Enter())
                return _isFlushing && _stage != Stage.Closed ? _writes + sent : null;
        }
    }

    /// <summary>Appends a message, and flushes the outbox on the thread pool.</summary>
    /// <inheritdoc cref="Append(ref OutgoingFrame, ref FlushChain)"/>
    public SendStatus Append(ref OutgoingFrame frame)
    {
        var chain = default(FlushChain);
        var status = Append(ref frame, ref chain);
        chain.Start();
        return status;
    }

    /// <summary>Appends a message. The taps observe the message after it was appended, without a lock. The caller starts the chain.</summary>
    /// <param name="frame">The message. The method sets <see cref="OutgoingFrame.LacksTotal"/>.</param>
    /// <param name="chain">Flushes the outbox.</param>
    /// <returns><see cref="SendStatus.Sent"/>, <see cref="SendStatus.Full"/> or <see cref="SendStatus.Closed"/>. An empty outbox accepts a message of any size, as far as the total allows it.</returns>
    public SendStatus Append(ref OutgoingFrame frame, ref FlushChain chain)
    {
        frame.ObservedAt = _observer is { IsActive: true } observer ? observer.Begin(_peer!) : 0;
        var status = Enqueue(ref frame, out var hasToFlush);
        if (hasToFlush && frame.ObservedAt == 0)
            chain.Add(this);
        else if (hasToFlush)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false); // before the taps, which may wait
        if (frame.ObservedAt != 0 && status == SendStatus.Sent && frame.Observation != FrameObservation.ByCaller)
            Observe(in frame);
        return status;
    }

    /// <summary>Calls the taps for a message that was sent. Call it without a lock.</summary>
    public void NoteSent(in OutgoingFrame frame)
    {
        if (frame.ObservedAt == 0)
            return;
        if (!frame.Before.IsEmpty)
            _observer!.NoteSent(_peer!, frame.Before, isSecret: false, frame.ObservedAt);
        _observer!.NoteSent(_peer!, frame.Message, frame.IsSecret, frame.ObservedAt);
    }

    private SendStatus Enqueue(ref OutgoingFrame frame, out bool hasToFlush)
    {
        hasToFlush = false;
        var isControl = frame.IsControl;
        var delivery = isControl || Deliveries is null ? frame.Delivery : Deliveries.Find(frame.Message, IsSequencedReadable);
        using (_gate.Enter())
        {
            if (_stage != Stage.Open)
                return SendStatus.Closed;
            if (isControl)
            {
                _queue.Pending.Append(frame.Message, isSecret: false, _usesDelivery ? delivery : default);
                frame.Appended?.Invoke();
            }
            else
            {
                var maxPending = frame.MaxPending > 0 ? frame.MaxPending + Math.Max(0, _queue.Pending.FirstLength - MaxPending) : MaxPending; // beside a large message, replies have their room too
                if (Exceeds(frame.Before.Length + frame.Message.Length, maxPending))
                    return SendStatus.Full;
                frame.LacksTotal = !_queue.Pending.TryAppend(frame.Before, frame.Message, frame.IsSecret, delivery);
                if (frame.LacksTotal)
                    return SendStatus.Full;
            }

            if (_isFlushing || (_corks > 0 && (isControl || _queue.Pending.Length < MaxCorked)))
                return SendStatus.Sent;
            hasToFlush = _isFlushing = true;
            return SendStatus.Sent;
        }
    }

    private void Observe(in OutgoingFrame frame)
    {
        if (frame.Observation == FrameObservation.Later)
            NoteSentLater(frame.Message.ToArray(), frame.ObservedAt);
        else
            NoteSent(in frame);
    }

    /// <remarks>Separate from its caller, which would allocate the closure for each message.</remarks>
    private void NoteSentLater(byte[] message, long time) =>
        ThreadPool.UnsafeQueueUserWorkItem(_ => _observer!.NoteSent(_peer!, message, isSecret: false, time), null);

    /// <summary>Whether a <see cref="Cork"/> has not ended.</summary>
    public bool IsCorked => Volatile.Read(ref _corks) > 0;

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
            if (--_corks > 0 || !TryBeginFlush())
                return;
        }

        Execute();
    }

    /// <summary>Completes at once if the outbox would accept a message now or is closed; otherwise, completes when it may accept the message.</summary>
    /// <param name="messageLength">The size of the message, in bytes.</param>
    public Task WaitForRoomAsync(int messageLength)
    {
        using (_gate.Enter())
        {
            if (_stage != Stage.Open)
                return Task.CompletedTask;
            var isFull = Exceeds(messageLength, MaxPending);
            var charge = isFull ? 0 : _queue.Pending.ChargeFor(messageLength);
            var total = charge > 0 ? _total!.WaitForRoomAsync(charge) : Task.CompletedTask;
            if (!isFull && total.IsCompleted)
                return total;
            return isFull ? _room.WaitAsync() : Task.WhenAny(total, _room.WaitAsync()); // the next write of this outbox also makes room
        }
    }

    /// <summary>Writes the pending messages, including corked messages. Completes when every message appended before this call is written, or when the outbox is closed.</summary>
    public Task FlushAsync()
    {
        Task written;
        using (_gate.Enter())
            written = _stage == Stage.Closed ? Task.CompletedTask : _queue.WaitWrittenAsync();

        FlushPending();
        return written;
    }

    /// <summary>Writes corked messages. Used when the caller of <see cref="Cork"/> takes long, for example because a handler does not return.</summary>
    public void FlushCorked()
    {
        if (IsCorked)
            FlushPending();
    }

    private void FlushPending()
    {
        using (_gate.Enter())
        {
            if (!TryBeginFlush())
                return;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Makes the calling thread the writer if frames wait and no thread writes. The caller holds the lock, and flushes after it.</summary>
    private bool TryBeginFlush()
    {
        _gate.AssertHeld();
        if (_isFlushing || _stage == Stage.Closed || _queue.Pending.Length == 0)
            return false;
        return _isFlushing = true;
    }

    /// <summary>Appends a last message. Further messages are refused. Pending messages are still written.</summary>
    /// <param name="last">The message; empty for no message.</param>
    /// <returns><c>false</c> if the outbox is already sealed or closed; otherwise, <c>true</c>.</returns>
    public bool TrySeal(ReadOnlySpan<byte> last)
    {
        var frame = new OutgoingFrame(last);
        frame.ObservedAt = !last.IsEmpty && _observer is { IsActive: true } observer ? observer.Begin(_peer!) : 0;
        using (_gate.Enter())
        {
            if (_stage != Stage.Open)
                return false;
            if (!last.IsEmpty)
                _queue.Pending.Append(last, isSecret: false, _usesDelivery ? s_reliable : default);
            _hasGoodbye = !last.IsEmpty;
            _stage = Stage.Sealed;
            _room.Open();
        }

        NoteSent(in frame);
        return true;
    }

    /// <summary>Refuses further messages and counts the messages that were not written. May be called more than once.</summary>
    public void Close()
    {
        using (_gate.Enter())
        {
            if (_stage != Stage.Closed)
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

    private bool Exceeds(int messageLength, int maxPending) => _queue.Pending.Length > 0 && _queue.Pending.Length + messageLength > maxPending;

    private async Task FlushAllAsync()
    {
        while (TryTake(out var frames))
        {
            try
            {
                if (!_usesDelivery)
                    await _channel.SendAsync(frames, s_reliable, _stopping).ConfigureAwait(false);
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
        _gate.AssertHeld();
        _stage = Stage.Closed;
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

/// <summary>Outboxes that received the same message and have to be flushed. They are handed to the thread pool as one item, because an item costs the sender more than many appends.</summary>
/// <remarks>Call <see cref="Start"/> after the last append, also after an exception: no other code flushes an outbox of the chain.</remarks>
internal struct FlushChain
{
    /// <summary>The maximum number of outboxes that are handed to the thread pool together, so that the first of them do not wait for the last append of a large broadcast.</summary>
    private const int MaxLength = 256;

    /// <summary>The maximum number of outboxes that one item flushes. Items of a chain share the work between the threads of the pool, and limit the delay by a slow channel.</summary>
    private const int MostPerItem = 16;

    private Outbox? _first;
    private int _length;

    /// <summary>Adds an outbox whose flush was left to the caller.</summary>
    public void Add(Outbox outbox)
    {
        outbox.NextToFlush = _first;
        _first = outbox;
        if (++_length == MaxLength)
            Start();
    }

    /// <summary>Cuts a chain after the outboxes of one item.</summary>
    /// <param name="first">The first outbox of the chain.</param>
    /// <returns>The first outbox of the rest, or <c>null</c> if the item flushes the whole chain.</returns>
    public static Outbox? Cut(Outbox first)
    {
        var last = first;
        for (var i = 1; i < MostPerItem && last.NextToFlush is { } next; i++)
            last = next;
        var rest = last.NextToFlush;
        last.NextToFlush = null;
        return rest;
    }

    /// <summary>Flushes the outboxes on the thread pool.</summary>
    public void Start()
    {
        if (_first is { } first)
            ThreadPool.UnsafeQueueUserWorkItem(first, preferLocal: false);
        _first = null;
        _length = 0;
    }
}
