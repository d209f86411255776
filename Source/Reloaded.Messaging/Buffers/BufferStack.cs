using System;
using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging;

/// <summary>A thread's spare buffers beyond the first, last in, first out. Used by that thread alone.</summary>
/// <remarks>
/// Those that kept their arrays go out first. In one order for all, what a burst left behind lay on top: each message then got a small
/// array, grew it and gave it up again, 1.3 KB of garbage for a message of 1 KB.
/// </remarks>
internal sealed class BufferStack
{
    // Up to MaxWarm with their arrays, and from that place on those with small ones.
    private MessageBuffer[] _items = [];
    private int _warm;
    private int _small;

    /// <summary>How many there are.</summary>
    public int Count => _warm + _small;

    public bool TryPop([NotNullWhen(true)] out MessageBuffer? buffer)
    {
        buffer = _warm > 0 ? _items[--_warm] : _small > 0 ? _items[ThreadCache.MaxWarm + --_small] : null;
        return buffer is not null;
    }

    /// <returns>False when there are as many as are ever worth keeping.</returns>
    public bool TryPush(MessageBuffer buffer)
    {
        if (Count == ThreadCache.MaxSpare - 1) // and the first one, which is not in here
            return false;

        var isWarm = _warm < ThreadCache.MaxWarm;
        if (!isWarm)
            buffer.Shrink();
        var slot = isWarm ? _warm++ : ThreadCache.MaxWarm + _small++;
        if (slot >= _items.Length)
            Array.Resize(ref _items, Math.Max(16, slot * 2));

        // Mostly the slot still holds this very buffer, and a compare is cheaper than a write barrier.
        if (_items[slot] != buffer)
            _items[slot] = buffer;
        return true;
    }
}
