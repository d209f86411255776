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
internal sealed partial class Outbox : IThreadPoolWorkItem
{
    /// <summary>The maximum number of corked bytes. At this number they are written, so that the replies to one large read do not fill the outbox of a peer that reads.</summary>
    private const int MaxCorked = 64 * 1024;

    private readonly ShortLock _gate = new();
    private readonly TransportChannel _channel;
    private readonly DatagramChannel? _datagrams;
    private readonly bool _hasLanes;
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
    private int _lostFrames;

    /// <param name="channel">The channel to write to.</param>
    /// <param name="maxPending">The maximum number of pending bytes.</param>
    /// <param name="failed">Called once when the channel fails. Not called after the outbox was closed.</param>
    /// <param name="stopping">Cancels a write that waits.</param>
    /// <param name="total">The total memory of all outboxes; <c>null</c> for no limit.</param>
    /// <param name="sent">Observes the messages that are sent to a peer; <c>default</c> for no observer.</param>
    public Outbox(
        TransportChannel channel,
        int maxPending,
        Action<Exception> failed,
        CancellationToken stopping,
        PendingTotal? total = null,
        (SentObserver Observer, Peer Peer) sent = default)
    {
        (_observer, _peer) = sent;
        _total = total;
        _channel = channel;
        _datagrams = channel as DatagramChannel;
        _hasLanes = _datagrams is { SendsStreamsConcurrently: true };
        MaxPending = maxPending;
        _failed = failed;
        _stopping = stopping;
        _queue = new FrameQueue(total);
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
    public bool IsSequencedReadable;

    /// <summary>The next outbox of a chain. Only the thread that has to flush this outbox uses the property.</summary>
    public Outbox? NextToFlush;

    /// <summary>The maximum number of pending bytes.</summary>
    public readonly int MaxPending;

    /// <summary>The bytes that wait, and the bytes that are being written.</summary>
    public int PendingBytes
    {
        get
        {
            var ofLanes = _lanes is null ? 0 : PendingBytesOfLanes;
            using (_gate.Enter())
                return _queue.Length + ofLanes;
        }
    }

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
        var delivery = frame.Delivery ?? Deliveries?.Find(frame.Message, IsSequencedReadable) ?? default;
        if (FindOutbox(ref delivery) is not { } outbox)
            return SendStatus.Closed;
        var status = outbox.AppendCopied(ref frame, delivery, out var mustFlush);
        if (mustFlush && frame.ObservedAt == 0)
            chain.Add(outbox);
        else if (mustFlush)
            ThreadPool.UnsafeQueueUserWorkItem(outbox, preferLocal: false); // before the taps, which may wait
        if (frame.ObservedAt != 0 && status == SendStatus.Sent)
            Observe(in frame);
        return status;
    }

    /// <summary>Returns this outbox, or the lane of a delivery; <c>null</c> if this outbox accepts no message. Without lanes, all reliable messages have one order.</summary>
    private Outbox? FindOutbox(ref Delivery delivery)
    {
        if (delivery.Mode != DeliveryMode.ReliableByType)
            return this;
        if (_hasLanes)
            return FindLane(delivery.Stream);
        delivery = Delivery.ReliableOrdered;
        return this;
    }

    /// <param name="frame">The message. A large message is copied before the lock.</param>
    /// <param name="delivery">The delivery.</param>
    /// <param name="mustFlush">Whether the caller has to flush this outbox.</param>
    private SendStatus AppendCopied(ref OutgoingFrame frame, Delivery delivery, out bool mustFlush)
    {
        FrameBuffer? large = null;
        if (!frame.IsControl && frame.Message.Length >= FrameQueue.LargeMessage && Accepts(in frame))
            large = FrameBuffer.TryCopy(in frame, delivery, _total); // without the lock, for which other senders would wait
        var status = AppendLocked(ref frame, delivery, ref large, out mustFlush);
        large?.Free();
        return status;
    }

    private bool Accepts(in OutgoingFrame frame)
    {
        using (_gate.Enter())
            return _stage == Stage.Open && !Exceeds(in frame);
    }

    /// <param name="frame">The message.</param>
    /// <param name="delivery">The delivery.</param>
    /// <param name="large">The buffer with a large message; <c>null</c> for another message. Set to <c>null</c> when it is appended.</param>
    /// <param name="mustFlush">Whether the caller has to flush this outbox.</param>
    private SendStatus AppendLocked(ref OutgoingFrame frame, Delivery delivery, ref FrameBuffer? large, out bool mustFlush)
    {
        mustFlush = false;
        var isControl = frame.IsControl;
        using (_gate.Enter())
        {
            if (_stage != Stage.Open)
                return SendStatus.Closed;
            if (isControl)
            {
                _queue.Pending.Append(frame.Message, isSecret: false, _datagrams is not null ? delivery : default, isControl: true);
                if (_hasLanes && delivery.IsBarrier && _lanes is null)
                    _handshake = _queue.Pending.WaitWrittenAsync();
                frame.Appended?.Invoke();
            }
            else if (Exceeds(in frame))
            {
                return SendStatus.Full;
            }
            else if (large is not null)
            {
                _queue.Append(large);
                large = null;
            }
            else
            {
                frame.LacksTotal = !_queue.Pending.TryAppend(frame.Before, frame.Message, frame.IsSecret, delivery);
                if (frame.LacksTotal)
                    return SendStatus.Full;
            }

            if (_isFlushing || (_corks > 0 && (isControl || _queue.PendingLength < MaxCorked)))
                return SendStatus.Sent;
            _isFlushing = true;
            mustFlush = true;
            return SendStatus.Sent;
        }
    }

    private void Observe(in OutgoingFrame frame)
    {
        if (frame.ObservesLater)
            NoteSentLater(frame.Message.ToArray(), frame.ObservedAt);
        else
            NoteSent(in frame);
    }

    /// <summary>Calls the taps for a message that was sent. Call it without a lock.</summary>
    private void NoteSent(in OutgoingFrame frame)
    {
        if (frame.ObservedAt == 0)
            return;
        if (!frame.Before.IsEmpty)
            _observer!.NoteSent(_peer!, frame.Before, isSecret: false, frame.ObservedAt);
        _observer!.NoteSent(_peer!, frame.Message, frame.IsSecret, frame.ObservedAt);
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

    /// <summary>Writes the pending messages, including corked messages. Completes when every message appended before this call is written, or when the outbox is closed.</summary>
    public Task FlushAsync()
    {
        Task written;
        using (_gate.Enter())
            written = _stage == Stage.Closed ? Task.CompletedTask : _queue.WaitWrittenAsync();

        FlushPending();
        return _lanes is null ? written : Task.WhenAll(written, FlushLanesAsync());
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
        if (_isFlushing || _stage == Stage.Closed || _queue.Pending.Length + _queue.EarlierLength == 0)
            return false;
        return _isFlushing = true;
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

    private bool Exceeds(in OutgoingFrame frame)
    {
        var maxPending = frame.MaxPending > 0 ? frame.MaxPending + Math.Max(0, _queue.FirstLength - MaxPending) : MaxPending; // beside a large message, replies have their room too
        return Exceeds(frame.Before.Length + frame.Message.Length, maxPending);
    }

    private bool Exceeds(int messageLength, int maxPending) => _queue.PendingLength > 0 && _queue.PendingLength + messageLength > maxPending;

    private async Task FlushAllAsync()
    {
        if (_before is not null)
            await _before.ConfigureAwait(false);
        while (TryTake(out var frames))
        {
            try
            {
                if (_datagrams is null)
                    await _channel.SendAsync(frames, _stopping).ConfigureAwait(false);
                else
                    await SendEachAsync(_datagrams, frames).ConfigureAwait(false);
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
    private async ValueTask SendEachAsync(DatagramChannel channel, ReadOnlyMemory<byte> frames)
    {
        while (!frames.IsEmpty)
        {
            var alike = _queue.TakeAlike(ref frames, out var delivery);
            if (delivery.IsBarrier && _lanes is not null)
            {
                if (IsAtGoodbye)
                {
                    SealLanes();
                    await FlushLanesAsync().ConfigureAwait(false);
                }
                else if (_handshake is not { IsCompleted: false })
                {
                    delivery = Delivery.ReliableOrdered; // a later announcement: the lanes continue
                }
            }

            await channel.SendAsync(alike, delivery, _stopping).ConfigureAwait(false);
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
}
