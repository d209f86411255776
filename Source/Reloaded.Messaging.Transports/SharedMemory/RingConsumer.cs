using System;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>The reading side of a ring of bytes. For one thread at a time.</summary>
/// <remarks>
/// The position that this side relies on is its own and is not in the map. The tail comes from the other process: it is read once, checked
/// against the own head, and kept as a copy. Bytes are copied out once before they are read, so that the checked bytes are the used bytes.
/// </remarks>
internal sealed unsafe class RingConsumer
{
    private readonly byte* _data;
    private readonly int* _sharedTail;
    private readonly int* _sharedHead;
    private readonly int* _sharedEnd;
    private readonly uint _capacity;
    private uint _head;
    private uint _tail;

    /// <param name="map">The start of the map.</param>
    /// <param name="ring">The offset of the ring's fields.</param>
    /// <param name="data">The offset of the ring's bytes.</param>
    /// <param name="capacity">The size of the ring in bytes, a power of two.</param>
    /// <param name="position">Where both sides begin, as the map says too: 0, but for tests.</param>
    public RingConsumer(byte* map, int ring, long data, int capacity, uint position = 0)
    {
        _data = map + data;
        _sharedTail = (int*)(map + ring + RingLayout.Tail);
        _sharedHead = (int*)(map + ring + RingLayout.Head);
        _sharedEnd = (int*)(map + ring + RingLayout.End);
        _capacity = (uint)capacity;
        _head = _tail = position;
    }

    /// <summary>Whether there are bytes to read, or a tail out of range, which the next read reports.</summary>
    public bool HasBytes => _head != _tail || (uint)Volatile.Read(ref *_sharedTail) != _head;

    /// <summary>The end as the producer set it. A thread that has seen the end also sees the bytes before it.</summary>
    public RingEnd End => (RingEnd)Volatile.Read(ref *_sharedEnd);

    /// <summary>Copies bytes out of the ring and frees their room.</summary>
    /// <param name="destination">The memory to fill.</param>
    /// <param name="read">The number of bytes read, or 0.</param>
    /// <returns><c>false</c> if the tail is out of range; otherwise, <c>true</c>.</returns>
    public bool TryRead(Span<byte> destination, out int read)
    {
        read = 0;
        if (_head == _tail)
        {
            var tail = (uint)Volatile.Read(ref *_sharedTail); // acquire: the bytes before the tail are read after it
            if (tail - _head > _capacity)
                return false;
            _tail = tail;
        }

        var size = Math.Min(_tail - _head, (uint)destination.Length);
        if (size == 0)
            return true;

        var start = _head & (_capacity - 1);
        var first = (int)Math.Min(size, _capacity - start);
        new ReadOnlySpan<byte>(_data + start, first).CopyTo(destination);
        if (first < size)
            new ReadOnlySpan<byte>(_data, (int)size - first).CopyTo(destination.Slice(first));
        _head += size;
        Volatile.Write(ref *_sharedHead, (int)_head); // release: the bytes were read before their room is given back
        read = (int)size;
        return true;
    }
}
