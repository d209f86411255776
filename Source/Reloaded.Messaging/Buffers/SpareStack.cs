using System;
using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.Buffers;

/// <summary>A thread's spare buffers beyond the first, last in, first out. Used by that thread alone.</summary>
internal sealed class SpareStack
{
    private MessageBuffer[] _items = [];

    /// <summary>How many there are.</summary>
    public int Count { get; private set; }

    public bool TryPop([NotNullWhen(true)] out MessageBuffer? buffer)
    {
        buffer = Count > 0 ? _items[--Count] : null;
        return buffer is not null;
    }

    /// <returns>False when there are as many as are ever worth keeping.</returns>
    public bool TryPush(MessageBuffer buffer)
    {
        if (Count == ThreadCache.MaxSpare - 1) // and the first one, which is not in here
            return false;
        if (Count >= ThreadCache.MaxWarm)
            buffer.Shrink();
        if (Count == _items.Length)
            Array.Resize(ref _items, Math.Max(16, Count * 2));

        // Mostly the slot still holds this very buffer, and a compare is cheaper than a write barrier.
        if (_items[Count] != buffer)
            _items[Count] = buffer;
        Count++;
        return true;
    }
}
