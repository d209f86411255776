using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Holds messages between the threads that receive them and the one that handles them: a game's main thread, a server's tick.</summary>
/// <typeparam name="TSender">What producers pass beside each message; kept inline, so make it a small struct or a reference.</typeparam>
/// <remarks>
/// Bounded, and empty when created: its memory is taken once. Any number of threads enqueue; one at a time pumps, which keeps the order.
/// Enqueueing and pumping allocate nothing, but for a producer that waits.
/// </remarks>
public sealed partial class MessageQueue<TSender> : IDisposable
{
    private readonly BoundedRing<Entry> _ring;
    private readonly QueueFullMode _whenFull;
    private readonly object _roomGate = new();
    private TaskCompletionSource<bool>? _room;
    private long _rejected;
    private long _dropped;
    private long _waited;
    private int _closed;

    /// <summary>Makes an empty queue.</summary>
    /// <param name="capacity">The most messages it holds: 1 to 16777216.</param>
    /// <param name="whenFull">What to do with one more.</param>
    public MessageQueue(int capacity, QueueFullMode whenFull = QueueFullMode.Reject)
    {
        if (capacity is < 1 or > 1 << 24)
            Throw.ArgumentOutOfRange(nameof(capacity), capacity, "a queue holds 1 to 16777216 messages");
        if (whenFull is < QueueFullMode.Reject or > QueueFullMode.Wait)
            Throw.ArgumentOutOfRange(nameof(whenFull), whenFull, "a policy is Reject, DropOldest or Wait");
        _ring = new BoundedRing<Entry>(capacity);
        _whenFull = whenFull;
    }

    /// <summary>The most messages it holds.</summary>
    public int Capacity => _ring.Capacity;

    /// <summary>The messages that wait; exact while nobody enqueues or pumps.</summary>
    public int Count => _ring.Count + _left.Count;

    /// <summary>The messages that were refused because it was full.</summary>
    public long Rejected => Volatile.Read(ref _rejected);

    /// <summary>The messages that were released to make room.</summary>
    public long Dropped => Volatile.Read(ref _dropped);

    /// <summary>The messages that had to wait for room.</summary>
    public long Waited => Volatile.Read(ref _waited);

    /// <summary>Adds a message. Never blocks. Any thread.</summary>
    /// <param name="message">The message; the queue's if it was taken.</param>
    /// <param name="sender">Who sent it.</param>
    /// <returns>Whether it was taken.</returns>
    /// <remarks>Once it was taken, leave it alone: for one that its producer releases all the same, the pump throws, and goes on with the next when it is called again.</remarks>
    /// <exception cref="ObjectDisposedException">The message was released, or is the default value.</exception>
    public EnqueueStatus Enqueue(PackedMessage message, TSender sender)
    {
        var madeRoom = false;
        var spin = default(SpinWait);
        EnqueueStatus status;
        while (!TryEnqueueNow(message, sender, out status))
        {
            // What filters left, and what one is being asked about, is not dropped: where that takes all the room, there is none to make.
            if (_whenFull != QueueFullMode.DropOldest || _ring.Room <= 0)
            {
                Interlocked.Increment(ref _rejected);
                MessagingMetrics.CountDropped("QueueFull");
                return EnqueueStatus.Full;
            }

            // Another thread may have been stopped while it empties the slot that is next, or fills the oldest one. To drop more makes no room there.
            if (_ring.Count < _ring.Room || !_ring.TryTake(out var oldest))
            {
                spin.SpinOnce();
                continue;
            }

            oldest.Message.Dispose();
            Interlocked.Increment(ref _dropped);
            MessagingMetrics.CountDropped("QueueDroppedOldest");
            madeRoom = true;
        }

        return madeRoom && status == EnqueueStatus.Enqueued ? EnqueueStatus.DroppedOldest : status;
    }

    /// <summary>Adds a message; under <see cref="QueueFullMode.Wait"/>, once there is room. Any thread.</summary>
    /// <param name="message">The message; the queue's if it was taken.</param>
    /// <param name="sender">Who sent it.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>Whether it was taken. Messages of one producer that awaits each call stay in order; among producers that wait, any may come first.</returns>
    /// <exception cref="OperationCanceledException">The wait was ended; the message is still the producer's.</exception>
    /// <exception cref="ObjectDisposedException">The message was released, or is the default value.</exception>
    public ValueTask<EnqueueStatus> EnqueueAsync(PackedMessage message, TSender sender, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (_whenFull != QueueFullMode.Wait)
            return new ValueTask<EnqueueStatus>(Enqueue(message, sender));
        return TryEnqueueNow(message, sender, out var status)
            ? new ValueTask<EnqueueStatus>(status)
            : WaitAndEnqueueAsync(message, sender, cancellationToken);
    }

    /// <summary>Closes the queue: releases what waits, refuses what comes, and ends the waits of producers. Any thread.</summary>
    public void Dispose()
    {
        Interlocked.Exchange(ref _closed, 1);
        _left.Close();

        // A producer adds and then looks whether the queue was closed meanwhile. A fence there would cost every message;
        // this one, for all threads at once, costs a dispose: either the producer sees the close, or its message is seen below.
        Interlocked.MemoryBarrierProcessWide();
        ReleaseAll();
        SignalRoom();
    }

    /// <returns>False when it is full; otherwise the status is Enqueued or Closed.</returns>
    private bool TryEnqueueNow(PackedMessage message, TSender sender, out EnqueueStatus status)
    {
        if (message.IsReleased)
            Throw.Released(); // here, where its producer sees it, and not at the pump
        status = EnqueueStatus.Closed;
        if (Volatile.Read(ref _closed) != 0)
            return true;
        if (!_ring.TryAdd(new Entry(message, sender)))
            return false;

        status = EnqueueStatus.Enqueued;
        if (Volatile.Read(ref _closed) != 0)
            ReleaseAll(); // disposed meanwhile: whoever sees it last empties the ring
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

            // Only now is a pump sure to wake us: what it freed before is seen here.
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
        if (_whenFull != QueueFullMode.Wait)
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
        while (_left.TryTake(out var left))
            left.Message.Dispose();
        while (_ring.TryTake(out var entry))
            entry.Message.Dispose();
    }

    private readonly struct Entry(PackedMessage message, TSender sender)
    {
        public PackedMessage Message { get; } = message;

        public TSender Sender { get; } = sender;
    }
}
