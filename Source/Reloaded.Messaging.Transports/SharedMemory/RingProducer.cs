using System;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>The writing side of a ring of bytes. For one thread at a time.</summary>
/// <remarks>
/// The positions that this side relies on are its own and are not in the map. The head comes from the other process: it is read once, checked
/// against the own tail, and kept as a copy. So no write leaves the ring, whatever the other process does to the map.
/// </remarks>
internal sealed unsafe class RingProducer
{
    private readonly byte* _data;
    private readonly int* _sharedTail;
    private readonly int* _sharedHead;
    private readonly int* _sharedEnd;
    private readonly uint _capacity;
    private uint _tail;
    private uint _head;

    /// <param name="map">The start of the map.</param>
    /// <param name="ring">The offset of the ring's fields.</param>
    /// <param name="data">The offset of the ring's bytes.</param>
    /// <param name="capacity">The size of the ring in bytes, a power of two.</param>
    /// <param name="position">Where both sides begin, as the map says too: 0, but for tests.</param>
    public RingProducer(byte* map, int ring, long data, int capacity, uint position = 0)
    {
        _data = map + data;
        _sharedTail = (int*)(map + ring + RingLayout.Tail);
        _sharedHead = (int*)(map + ring + RingLayout.Head);
        _sharedEnd = (int*)(map + ring + RingLayout.End);
        _capacity = (uint)capacity;
        _tail = _head = position;
    }

    /// <summary>Whether bytes can be written. Reads the head again; <c>true</c> too for a head out of range, which the next write reports.</summary>
    public bool HasRoom => _tail - (uint)Volatile.Read(ref *_sharedHead) != _capacity;

    /// <summary>The number of bytes that the other side has not read, as far as the map says.</summary>
    public uint Unread => _tail - (uint)Volatile.Read(ref *_sharedHead);

    /// <summary>Copies as many bytes as there is room for, and publishes them.</summary>
    /// <param name="source">The bytes.</param>
    /// <param name="written">The number of bytes written; 0 if the ring is full.</param>
    /// <returns><c>false</c> if the head is out of range; otherwise, <c>true</c>.</returns>
    public bool TryWrite(ReadOnlySpan<byte> source, out int written)
    {
        written = 0;
        var room = _capacity - (_tail - _head);
        if (room < (uint)source.Length)
        {
            var head = (uint)Volatile.Read(ref *_sharedHead); // acquire: the other side's reads of these bytes come before our writes
            if (_tail - head > _capacity)
                return false;
            _head = head;
            room = _capacity - (_tail - head);
        }

        var size = Math.Min(room, (uint)source.Length);
        if (size == 0)
            return true;

        var start = _tail & (_capacity - 1);
        var first = (int)Math.Min(size, _capacity - start);
        source.Slice(0, first).CopyTo(new Span<byte>(_data + start, first));
        if (first < size)
            source.Slice(first, (int)size - first).CopyTo(new Span<byte>(_data, (int)size - first));
        _tail += size;
        Volatile.Write(ref *_sharedTail, (int)_tail); // release: a thread that sees the tail also sees the bytes
        written = (int)size;
        return true;
    }

    /// <summary>Publishes that nothing more is written. Once.</summary>
    public void End(RingEnd end) => Volatile.Write(ref *_sharedEnd, (int)end); // release: a thread that sees the end also sees the tail
}
