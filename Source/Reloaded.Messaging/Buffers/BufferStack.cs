using System;
using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging;

/// <summary>The spare buffers of a thread after the first one, last in, first out. Used by that thread alone.</summary>
/// <remarks>
/// Buffers that kept their arrays are taken first. With a single order, buffers with small arrays could end on top after a burst; each message
/// would then grow a small array and discard it again.
/// </remarks>
internal sealed class BufferStack
{
    // Up to MaxWarm with their arrays, and with small arrays from that position on.
    private MessageBuffer[] _items = [];
    private int _warm;
    private int _small;

    /// <summary>The number of buffers.</summary>
    public int Count => _warm + _small;

    public bool TryPop([NotNullWhen(true)] out MessageBuffer? buffer)
    {
        buffer = _warm > 0 ? _items[--_warm] : _small > 0 ? _items[ThreadCache.MaxWarm + --_small] : null;
        return buffer is not null;
    }

    /// <returns><c>false</c> if the maximum number of spare buffers is reached; otherwise, <c>true</c>.</returns>
    public bool TryPush(MessageBuffer buffer)
    {
        if (Count == ThreadCache.MaxSpare - 1) // plus the first buffer, which is not in the stack
            return false;

        var isWarm = _warm < ThreadCache.MaxWarm;
        if (!isWarm)
            buffer.Shrink();
        var slot = isWarm ? _warm++ : ThreadCache.MaxWarm + _small++;
        if (slot >= _items.Length)
            Array.Resize(ref _items, Math.Max(16, slot * 2));

        // The slot usually still holds this buffer, and a comparison is cheaper than a write barrier.
        if (_items[slot] != buffer)
            _items[slot] = buffer;
        return true;
    }
}
