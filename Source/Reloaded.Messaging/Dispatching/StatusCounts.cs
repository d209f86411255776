namespace Reloaded.Messaging;

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
