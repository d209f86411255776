namespace Reloaded.Messaging;

/// <summary>A queue between the threads that receive messages and the thread that handles them, such as a game's main thread.</summary>
/// <typeparam name="TSender">The type of the sender that producers enqueue with each message. Stored inline: use a small struct or a reference.</typeparam>
/// <remarks>
/// Bounded; all of its memory is allocated when it is created. Any number of threads may enqueue. One thread at a time may pump, which keeps the order.
/// Enqueueing and pumping allocate nothing, except for a producer that waits.
/// </remarks>
public sealed partial class MessageQueue<TSender> : IDisposable
{
    private static readonly FullMode[] s_fullModes = [FullMode.Reject, FullMode.DropOldest, FullMode.Wait];

    private readonly BoundedRing<Entry> _ring;
    private readonly FullMode _fullMode;
    private readonly object _roomGate = new();
    private TaskCompletionSource<bool>? _room;
    private long _rejected;
    private long _dropped;
    private long _waited;
    private int _closed;

    /// <summary>Creates an empty queue.</summary>
    /// <param name="capacity">The maximum number of messages (1–16777216).</param>
    /// <param name="fullMode">The behavior when the queue is full. With <see cref="FullMode.Wait"/>, <see cref="EnqueueAsync"/> waits until there is room, and <see cref="Enqueue"/> refuses the message.</param>
    public MessageQueue(int capacity, FullMode fullMode = FullMode.Reject)
    {
        Guard.Between(1, 1 << 24, capacity, nameof(capacity));
        _fullMode = Guard.OneOf("a message queue", s_fullModes, fullMode, nameof(fullMode));
        _ring = new BoundedRing<Entry>(capacity);
    }

    /// <summary>The maximum number of messages.</summary>
    public int Capacity => _ring.Capacity;

    /// <summary>The number of queued messages. Exact while no thread enqueues or pumps.</summary>
    public int Count => _ring.Count + _left.Count;

    /// <summary>The number of messages that were refused because the queue was full.</summary>
    public long Rejected => Volatile.Read(ref _rejected);

    /// <summary>The number of messages that were released to make room.</summary>
    public long Dropped => Volatile.Read(ref _dropped);

    /// <summary>The number of messages whose producer waited for room.</summary>
    public long Waited => Volatile.Read(ref _waited);

    /// <summary>Adds a message. Never blocks. Thread-safe.</summary>
    /// <param name="message">The message. If it is accepted, the queue owns it.</param>
    /// <param name="sender">The sender of the message.</param>
    /// <returns>Whether the message was accepted.</returns>
    /// <remarks>The producer must not release an accepted message. If it does, the pump throws; the next pump continues with the following message.</remarks>
    /// <exception cref="ObjectDisposedException">Thrown when the message was released, or is the default value.</exception>
    public EnqueueStatus Enqueue(PackedMessage message, TSender sender)
    {
        var madeRoom = false;
        var spin = default(SpinWait);
        EnqueueStatus status;
        while (!TryEnqueueNow(message, sender, out status))
        {
            // Skipped messages, and the message that a filter is deciding about, are not dropped. If they use the whole capacity, no room can be made.
            if (_fullMode != FullMode.DropOldest || _ring.Room <= 0)
            {
                Interlocked.Increment(ref _rejected);
                MessagingMetrics.CountDropped(MessagingMetrics.QueueFull);
                return EnqueueStatus.Full;
            }

            // Another thread may be suspended while it empties the next slot or fills the oldest one. Dropping more messages would make no room there.
            if (_ring.Count < _ring.Room || !_ring.TryTake(out var oldest))
            {
                spin.SpinOnce();
                continue;
            }

            oldest.Message.Dispose();
            Interlocked.Increment(ref _dropped);
            MessagingMetrics.CountDropped(MessagingMetrics.QueueDroppedOldest);
            madeRoom = true;
        }

        return madeRoom && status == EnqueueStatus.Enqueued ? EnqueueStatus.DroppedOldest : status;
    }

    /// <summary>Adds a message. With <see cref="FullMode.Wait"/>, waits until there is room. Thread-safe.</summary>
    /// <param name="message">The message. If it is accepted, the queue owns it.</param>
    /// <param name="sender">The sender of the message.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>Whether the message was accepted. The messages of a producer that awaits each call stay in order. The order of waiting producers is not defined.</returns>
    /// <exception cref="OperationCanceledException">Thrown when the wait was canceled. The producer still owns the message.</exception>
    /// <exception cref="ObjectDisposedException">Thrown when the message was released, or is the default value.</exception>
    public ValueTask<EnqueueStatus> EnqueueAsync(PackedMessage message, TSender sender, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (_fullMode != FullMode.Wait)
            return new ValueTask<EnqueueStatus>(Enqueue(message, sender));
        return TryEnqueueNow(message, sender, out var status)
            ? new ValueTask<EnqueueStatus>(status)
            : WaitAndEnqueueAsync(message, sender, cancellationToken);
    }

    /// <summary>Closes the queue: releases queued messages, refuses new ones, and ends the waits of producers. Thread-safe.</summary>
    public void Dispose()
    {
        Interlocked.Exchange(ref _closed, 1);
        _left.Close();

        // A producer adds a message and then checks whether the queue was closed. A fence there would cost time for every message;
        // this process-wide fence costs time once per dispose. Either the producer sees the close, or its message is seen below.
        Interlocked.MemoryBarrierProcessWide();
        ReleaseAll();
        SignalRoom();
    }

    /// <returns><c>false</c> if the queue is full; otherwise, <c>true</c> and the status is Enqueued or Closed.</returns>
    private bool TryEnqueueNow(PackedMessage message, TSender sender, out EnqueueStatus status)
    {
        if (message.IsReleased)
            Throw.Released(); // here, in the call of the producer, and not in the pump
        status = EnqueueStatus.Closed;
        if (Volatile.Read(ref _closed) != 0)
            return true;
        if (!_ring.TryAdd(new Entry(message, sender)))
            return false;

        status = EnqueueStatus.Enqueued;
        if (Volatile.Read(ref _closed) != 0)
            ReleaseAll(); // disposed meanwhile: the last thread that sees it empties the ring
        return true;
    }

    private async ValueTask<EnqueueStatus> WaitAndEnqueueAsync(PackedMessage message, TSender sender, CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _waited);
        while (true)
        {
            Task room;
            lock (_roomGate)
                room = (_room ??= new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

            // From here on, a pump wakes this producer. Capacity that it freed before is seen here.
            Interlocked.MemoryBarrier();
            if (TryEnqueueNow(message, sender, out var status))
                return status;

            var canceled = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            using (cancellationToken.Register(static source => ((TaskCompletionSource<bool>)source!).TrySetResult(true), canceled))
                await Task.WhenAny(room, canceled.Task).ConfigureAwait(false);
            cancellationToken.ThrowIfCancellationRequested();
        }
    }

    private void SignalRoom()
    {
        if (_fullMode != FullMode.Wait)
            return;

        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _room) is null)
            return;

        TaskCompletionSource<bool>? room;
        lock (_roomGate)
        {
            room = _room;
            _room = null;
        }

        room?.TrySetResult(true);
    }

    private void ReleaseAll()
    {
        var position = 0L;
        while (_left.TryTakeAfter(ref position, out var left))
            left.Message.Dispose();
        while (_ring.TryTake(out var entry))
            entry.Message.Dispose();
    }

    private readonly struct Entry(PackedMessage message, TSender sender)
    {
        public readonly PackedMessage Message = message;

        public readonly TSender Sender = sender;
    }
}

/// <summary>The result of enqueueing a message, and the owner of the message afterwards.</summary>
public enum EnqueueStatus
{
    /// <summary>The message is queued. The queue owns it.</summary>
    Enqueued,

    /// <summary>The message is queued. The queue owns it, and has released its oldest message to make room.</summary>
    DroppedOldest,

    /// <summary>The queue is full. The producer still owns the message.</summary>
    Full,

    /// <summary>The queue was disposed. The producer still owns the message.</summary>
    Closed,
}
