using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>A bounded first-in, first-out ring. Any number of threads add and take items without a lock.</summary>
/// <remarks>
/// Based on D. Vyukov's bounded MPMC queue: every slot stores the position that may use it next. A thread that claims a position by one
/// compare-and-swap is the only user of its slot. The number of slots is a power of two. The capacity is exact: producers stop at the head plus the room.
/// </remarks>
internal sealed class BoundedRing<TItem>
{
    private readonly Slot[] _slots;
    private readonly int _mask;
    private RingEnds _ends;

    public BoundedRing(int capacity)
    {
        var size = 2;
        while (size < capacity)
            size *= 2;

        Capacity = _ends.Room = capacity;
        _ends.Limit = capacity;
        _mask = size - 1;
        _slots = new Slot[size];
        for (var i = 0; i < size; i++)
            _slots[i].Sequence = i;
    }

    public readonly int Capacity;

    /// <summary>The number of items that the ring may hold now; the rest of the capacity is used elsewhere. Set by one thread at a time.</summary>
    public int Room
    {
        get => Volatile.Read(ref _ends.Room);
        set => Volatile.Write(ref _ends.Room, value);
    }

    /// <summary>The number of items. Exact while no thread adds or takes items.</summary>
    public int Count
    {
        get
        {
            var head = Volatile.Read(ref _ends.Head);
            return (int)Math.Min(Math.Max(Volatile.Read(ref _ends.Tail) - head, 0), Capacity);
        }
    }

    public bool TryAdd(in TItem item)
    {
        while (true)
        {
            var tail = Volatile.Read(ref _ends.Tail);
            ref var slot = ref _slots[(int)tail & _mask];
            var sequence = Volatile.Read(ref slot.Sequence);
            if (sequence == tail)
            {
                if (tail >= Volatile.Read(ref _ends.Limit) && tail >= ReadLimit())
                    return false;
                if (Interlocked.CompareExchange(ref _ends.Tail, tail + 1, tail) != tail)
                    continue;

                slot.Item = item;
                Volatile.Write(ref slot.Sequence, tail + 1);
                return true;
            }

            // The slot still has the item of the previous round. Unless the tail has moved meanwhile, the ring is full.
            if (sequence < tail && Volatile.Read(ref _ends.Tail) == tail)
                return false;
        }
    }

    public bool TryTake([MaybeNullWhen(false)] out TItem item)
    {
        while (true)
        {
            var head = Volatile.Read(ref _ends.Head);
            ref var slot = ref _slots[(int)head & _mask];
            var sequence = Volatile.Read(ref slot.Sequence);
            if (sequence == head + 1)
            {
                if (Interlocked.CompareExchange(ref _ends.Head, head + 1, head) != head)
                    continue;

                item = slot.Item;
                slot.Item = default!;
                Volatile.Write(ref slot.Sequence, head + _mask + 1);
                return true;
            }

            if (sequence <= head && Volatile.Read(ref _ends.Head) == head)
            {
                item = default;
                return false;
            }
        }
    }

    /// <summary>Reads how far producers may go now. They keep the result, since reading what the consumer writes waits for the cache line of the consumer.</summary>
    /// <remarks>A result that is kept for long is low, and never too high: where the room shrinks, the head has moved on by as much.</remarks>
    private long ReadLimit()
    {
        var limit = Volatile.Read(ref _ends.Head) + Volatile.Read(ref _ends.Room);
        Volatile.Write(ref _ends.Limit, limit);
        return limit;
    }

    private struct Slot
    {
        public long Sequence;
        public TItem Item;
    }
}

/// <summary>Both ends of a ring, on separate cache lines, so that producers and consumers do not slow each other down.</summary>
/// <remarks>They are 128 bytes apart, because processors fetch lines in pairs. Not nested in the ring: a generic type cannot have an explicit layout.</remarks>
[StructLayout(LayoutKind.Explicit, Size = 384)]
internal struct RingEnds
{
    /// <summary>The position of the next item to add.</summary>
    [FieldOffset(128)]
    public long Tail;

    /// <summary>The position at which producers stop, as they last read it from the head and the room.</summary>
    [FieldOffset(136)]
    public long Limit;

    /// <summary>The position of the oldest item.</summary>
    [FieldOffset(256)]
    public long Head;

    /// <summary>The number of items that the ring may hold now.</summary>
    [FieldOffset(264)]
    public int Room;
}
