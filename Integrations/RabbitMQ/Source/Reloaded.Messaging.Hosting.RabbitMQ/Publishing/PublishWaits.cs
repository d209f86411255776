using System;
using System.Buffers;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The room of a queue of messages to publish, in bytes. Used under the lock of the queue.</summary>
/// <remarks>Messages that wait or are unconfirmed share one limit. Messages that a full queue of the broker refused, or that wait for an earlier channel, have the same limit in addition.</remarks>
/// <param name="maxBytes">The limit. An empty queue accepts any message.</param>
internal sealed class PublishRoom(int maxBytes)
{
    private readonly RoomGate _gate = new(maxBytes);
    private readonly RoomGate _refusedGate = new(maxBytes);
    private long _refused;

    /// <summary>The size of the messages that wait or are unconfirmed.</summary>
    public long Used { get; private set; }

    /// <summary>The number of refused messages.</summary>
    public int RefusedCount { get; private set; }

    /// <summary>The bytes that count against the limit: messages that wait or are unconfirmed, and refused messages beyond their own limit.</summary>
    private long Filled => Used == 0 ? 0 : Math.Max(Used, Used + _refused - maxBytes);

    /// <summary>Returns whether the queue accepts a message.</summary>
    /// <param name="size">The size of the message.</param>
    /// <param name="isReply">Whether the message is a reply, which may use twice the room.</param>
    /// <param name="isAfterRefused">Whether refused messages of the same topic wait.</param>
    public bool Accepts(int size, bool isReply, bool isAfterRefused)
    {
        var most = isReply ? 2L * maxBytes : maxBytes;
        if (Used > 0 && (Used + size > most || Used + _refused + size > 2L * maxBytes))
            return false;
        return !isAfterRefused || _refused == 0 || _refused + size <= maxBytes;
    }

    /// <summary>Completes when there is room for a message. Another caller may use the room first.</summary>
    /// <param name="size">The size of the message.</param>
    /// <param name="isBlocked">Whether the broker accepts no messages.</param>
    /// <param name="isAfterRefused">Whether refused messages of the same topic wait.</param>
    public Task WaitAsync(int size, bool isBlocked, bool isAfterRefused)
    {
        if (isAfterRefused && !_refusedGate.HasRoom(_refused, size))
            return _refusedGate.WaitAsync(size);
        return !isBlocked && _gate.HasRoom(Filled, size) ? Task.CompletedTask : _gate.WaitAsync(size);
    }

    /// <summary>Adds a message that waits.</summary>
    public void Add(int size) => Used += size;

    /// <summary>Removes a message that waits or is unconfirmed. <see cref="WakeIfRoom"/> follows after the last one.</summary>
    public void Remove(int size) => Used -= size;

    /// <summary>Moves a message to the refused messages.</summary>
    public void Refuse(int size)
    {
        Used -= size;
        _refused += size;
        RefusedCount++;
    }

    /// <summary>Removes a refused message.</summary>
    public void RemoveRefused(int size)
    {
        _refused -= size;
        RefusedCount--;
        _refusedGate.WakeIfRoom(_refused);
    }

    /// <summary>Wakes the callers for whom there is room.</summary>
    public void WakeIfRoom() => _gate.WakeIfRoom(Filled);

    /// <summary>Wakes the callers that wait because of the refused messages of their topic.</summary>
    public void WakeAfterRefused() => _refusedGate.Wake();

    /// <summary>Wakes all callers.</summary>
    public void Wake()
    {
        _gate.Wake();
        _refusedGate.Wake();
    }

    /// <summary>Lets callers wait for room. Used under the lock of the queue.</summary>
    /// <param name="maxBytes">The limit of the queue, in bytes.</param>
    private sealed class RoomGate(int maxBytes)
    {
        /// <summary>The number of bytes that must become free before callers are woken. Waking for each message would cost more than the message.</summary>
        private readonly int _wakeBelow = maxBytes - Math.Min(maxBytes / 2, 128 * 1024);

        private AsyncGate _room;

        /// <summary>The size of the smallest message for which a caller waits.</summary>
        private int _wanted;

        /// <summary>Completes when there is room for a message of a size. Another caller may use the room first.</summary>
        public Task WaitAsync(int size)
        {
            _wanted = _room.HasWaiters ? Math.Min(_wanted, size) : size;
            return _room.WaitAsync();
        }

        /// <summary>Returns whether there is room for a message of a size, and enough to wake the callers.</summary>
        public bool HasRoom(long bytes, int size) => bytes == 0 || bytes <= Math.Min(_wakeBelow, maxBytes - size);

        /// <summary>Wakes the callers if there is room for the smallest message.</summary>
        public void WakeIfRoom(long bytes)
        {
            if (_room.HasWaiters && HasRoom(bytes, _wanted))
                Wake();
        }

        /// <summary>Wakes the callers, which check the room again.</summary>
        public void Wake() => _room.Open();
    }
}

/// <summary>The flushes of a queue, in order. Used under the lock of the queue.</summary>
internal sealed class Flushes
{
    private readonly Queue<FlushEpoch> _waiting = new();
    private FlushEpoch _current = new();

    /// <summary>Counts a message for the next flush.</summary>
    public FlushEpoch Add()
    {
        _current.Open++;
        return _current;
    }

    /// <summary>Records that a message of an epoch is completed.</summary>
    public void Remove(FlushEpoch epoch)
    {
        epoch.Open--;
        while (_waiting.TryPeek(out var oldest) && oldest.Open == 0)
            _waiting.Dequeue().Complete();
    }

    /// <summary>Begins a flush of all messages that were added so far.</summary>
    public Task BeginAsync()
    {
        var begun = _current;
        _current = new FlushEpoch();
        if (_waiting.Count == 0 && begun.Open == 0)
            begun.Complete();
        else
            _waiting.Enqueue(begun);
        return begun.Done;
    }

    /// <summary>Records that a message is lost. Every flush that waits for the message fails. If there is no such flush, the next flush fails.</summary>
    public void Fail(FlushEpoch epoch, Exception reason)
    {
        var isLater = false;
        foreach (var waiting in _waiting)
        {
            isLater |= waiting == epoch;
            if (isLater)
                waiting.Fail(reason);
        }

        if (!isLater)
            _current.Fail(reason);
    }

    /// <summary>Makes every waiting flush fail immediately.</summary>
    public void FailAll(Exception reason)
    {
        while (_waiting.TryDequeue(out var waiting))
        {
            waiting.Fail(reason);
            waiting.Complete();
        }
    }
}

/// <summary>The messages that were added between two flushes.</summary>
internal sealed class FlushEpoch
{
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The number of its messages that are not yet completed.</summary>
    public long Open { get; set; }

    /// <summary>The reason why the flush fails; <see langword="null"/> if it does not.</summary>
    public Exception? Failure { get; private set; }

    public Task Done => _done.Task;

    /// <summary>Makes the flush fail. The first reason counts.</summary>
    public void Fail(Exception reason) => Failure ??= reason;

    /// <summary>Completes the flush.</summary>
    public void Complete()
    {
        if (Failure is null)
        {
            _done.SetResult();
            return;
        }

        _done.SetException(Failure);
        _ = _done.Task.Exception; // observed, because there may be no waiting caller
    }
}

/// <summary>Wakes one waiting loop, on the thread pool. If it is set while no loop waits, the next wait completes immediately. Does not allocate.</summary>
internal sealed class WorkSignal : IValueTaskSource, IThreadPoolWorkItem
{
    private readonly object _gate = new();
    private ManualResetValueTaskSourceCore<bool> _core;
    private bool _isSet;
    private bool _isAwaited;

    /// <summary>Completes when the signal is set. Only one wait at a time is allowed.</summary>
    public ValueTask WaitAsync()
    {
        lock (_gate)
        {
            if (_isSet)
            {
                _isSet = false;
                return default;
            }

            _core.Reset();
            _isAwaited = true;
            return new ValueTask(this, _core.Version);
        }
    }

    public void Set()
    {
        lock (_gate)
        {
            if (!_isAwaited)
            {
                _isSet = true;
                return;
            }

            _isAwaited = false;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute() => _core.SetResult(true);

    void IValueTaskSource.GetResult(short token) => _core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);
}

/// <summary>The bytes of the messages in a queue. Used under the lock of the queue.</summary>
/// <param name="maxBytes">The limit of the queue, in bytes.</param>
internal sealed class SegmentStore(int maxBytes)
{
    /// <summary>The segment to which the next message is added.</summary>
    private Segment? _current;

    /// <summary>The size of all segments above which they are compacted, because half of the bytes may belong to completed messages.</summary>
    private long _compactAbove = LeastCompacted(maxBytes);

    /// <summary>The size of all segments, including unused space.</summary>
    public long HeldBytes { get; private set; }

    /// <summary>Whether the segments use too much memory, because one small unconfirmed message keeps its whole segment in use.</summary>
    public bool NeedsCompaction => HeldBytes > _compactAbove;

    /// <summary>Copies a message.</summary>
    public void Add(ref Outgoing message, ReadOnlySpan<byte> bytes)
    {
        if (_current is null || !_current.HasRoom(bytes.Length))
        {
            Retire();
            _current = new Segment(bytes.Length);
            HeldBytes += _current.Size;
        }

        message.Segment = _current;
        message.Message = _current.Add(bytes, message.IsSecret);
    }

    /// <summary>Copies a message again, into a segment with fewer completed messages.</summary>
    public void Move(ref Outgoing message)
    {
        var from = message.Segment;
        Add(ref message, message.Message.Span);
        Release(from);
    }

    /// <summary>Records that a message is completed.</summary>
    public void Release(Segment segment)
    {
        segment.Release();
        if (segment != _current)
            FreeIfEmpty(segment);
    }

    /// <summary>Adds no more messages to the current segment.</summary>
    public void Retire()
    {
        if (_current is { } last)
            FreeIfEmpty(last);
        _current = null;
    }

    /// <summary>Records that all messages were moved.</summary>
    public void EndCompaction() =>
        _compactAbove = Math.Max(LeastCompacted(maxBytes), 2 * HeldBytes); // so that at most one byte is moved for each byte that is added

    private static long LeastCompacted(int maxBytes) => 2L * maxBytes + 2 * Segment.Capacity;

    private void FreeIfEmpty(Segment segment)
    {
        if (!segment.IsEmpty)
            return;
        HeldBytes -= segment.Size;
        segment.Free();
    }
}

/// <summary>A rented array with the bytes of waiting messages. It is returned when the last of its messages is completed.</summary>
/// <remarks>
/// Copying a message into a segment costs less than keeping the buffer of each message. Such buffers have hundreds of bytes and come from a pool
/// of limited size, so a long burst of small messages would allocate many of them.
/// </remarks>
internal sealed class Segment(int leastCapacity)
{
    public const int Capacity = 64 * 1024;

    private byte[] _array = ArrayPool<byte>.Shared.Rent(Math.Max(leastCapacity, Capacity));
    private int _used;
    private int _live;
    private bool _holdsSecret;

    /// <summary>The size of the segment in memory, in bytes.</summary>
    public int Size => _array.Length;

    public bool IsEmpty => _live == 0;

    public bool HasRoom(int size) => size <= _array.Length - _used;

    public ReadOnlyMemory<byte> Add(ReadOnlySpan<byte> message, bool isSecret)
    {
        var added = _array.AsMemory(_used, message.Length);
        message.CopyTo(added.Span);
        _used += message.Length;
        _live++;
        _holdsSecret |= isSecret;
        return added;
    }

    /// <summary>Records that one of its messages is completed. After the last message, the segment is reused from its start.</summary>
    public void Release()
    {
        if (--_live > 0)
            return;
        if (_holdsSecret)
            _array.AsSpan(0, _used).Clear();
        (_used, _holdsSecret) = (0, false);
    }

    /// <summary>Returns the memory. Called when the segment is empty.</summary>
    public void Free()
    {
        ArrayPool<byte>.Shared.Return(_array);
        _array = [];
    }
}
