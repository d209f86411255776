using System;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>The result of dispatching a message. Every message has exactly one.</summary>
public enum DispatchStatus
{
    /// <summary>The handler was called and returned.</summary>
    Handled = 0,

    /// <summary>The type has no handler, and the fallback was called.</summary>
    HandledByFallback,

    /// <summary>The type has no handler, and there is no fallback.</summary>
    NoHandler,

    /// <summary>The message is empty, its header is not in the one valid encoding, or it is compressed and the contract has no compressor.</summary>
    Malformed,

    /// <summary>The message exceeds <see cref="MessageLimits.MaxMessageSize"/>, or declares more than <see cref="MessageLimits.MaxDecompressedSize"/>.</summary>
    TooLarge,

    /// <summary>The payload does not decompress to exactly the declared size, or has surplus bytes.</summary>
    CorruptPayload,

    /// <summary>The serializer refused the payload.</summary>
    InvalidPayload,

    /// <summary>The message is a reply, a fault or a control message, which the host handles.</summary>
    NotForHandlers,

    /// <summary>The handler is asynchronous and was not called: use <see cref="MessageDispatcher{T}.DispatchAsync"/>.</summary>
    HandlerIsAsync,
}

/// <summary>Counts messages by their status.</summary>
/// <remarks>
/// Thread-safe and exact. Most dispatchers are used by one thread: the first thread that counts has separate counters, which need no
/// atomic operation. If that thread ends, a later thread with the same id continues its counters. For this reason, the class is not <c>Counters</c>
/// of the other packages: a flood of messages without a handler would cost an atomic operation for each message.
/// </remarks>
internal sealed class StatusCounts
{
    private const int Unowned = 0; // no thread has this id

    private readonly long[] _shared = new long[Length];
    private readonly long[] _owned = new long[Length];
    private int _owner;

    /// <summary>The number of statuses.</summary>
    public const int Length = (int)DispatchStatus.HandlerIsAsync + 1;

    public long this[DispatchStatus status] => Volatile.Read(ref _owned[(int)status]) + Volatile.Read(ref _shared[(int)status]);

    public void Add(DispatchStatus status)
    {
        if (_owner == Environment.CurrentManagedThreadId)
        {
            ref var count = ref _owned[(int)status];
            Volatile.Write(ref count, count + 1);
        }
        else
        {
            AddShared(status);
        }
    }

    private void AddShared(DispatchStatus status)
    {
        Interlocked.Increment(ref _shared[(int)status]);
        if (_owner == Unowned)
            Interlocked.CompareExchange(ref _owner, Environment.CurrentManagedThreadId, Unowned);
    }
}
