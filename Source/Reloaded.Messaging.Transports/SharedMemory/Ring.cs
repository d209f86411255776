using System;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>One ring of bytes in a map: its positions, its end and its bytes.</summary>
internal readonly unsafe struct Ring
{
    private readonly byte* _data;
    private readonly int* _tail;
    private readonly int* _head;
    private readonly int* _end;

    /// <param name="map">The start of the map.</param>
    /// <param name="ring">The offset of the ring's fields.</param>
    /// <param name="data">The offset of the ring's bytes.</param>
    /// <param name="capacity">The size of the ring in bytes, a power of two.</param>
    public Ring(byte* map, int ring, long data, int capacity)
    {
        _data = map + data;
        _tail = (int*)(map + ring + RingLayout.Tail);
        _head = (int*)(map + ring + RingLayout.Head);
        _end = (int*)(map + ring + RingLayout.End);
        Capacity = (uint)capacity;
    }

    /// <summary>The size of the ring in bytes, a power of two.</summary>
    public readonly uint Capacity;

    /// <summary>The number of bytes written, modulo 2^32. The read acquires.</summary>
    public uint Tail => (uint)Volatile.Read(ref *_tail);

    /// <summary>The number of bytes read, modulo 2^32. The read acquires.</summary>
    public uint Head => (uint)Volatile.Read(ref *_head);

    /// <summary>Whether the producer has ended. The read acquires.</summary>
    public RingEnd End => (RingEnd)Volatile.Read(ref *_end);

    /// <summary>Writes the tail. The write releases: a thread that sees the tail also sees the bytes.</summary>
    public void PublishTail(uint tail) => Volatile.Write(ref *_tail, (int)tail);

    /// <summary>Writes the head. The write releases: the bytes were read before their room is given back.</summary>
    public void PublishHead(uint head) => Volatile.Write(ref *_head, (int)head);

    /// <summary>Writes the end. The write releases: a thread that sees the end also sees the tail.</summary>
    public void PublishEnd(RingEnd end) => Volatile.Write(ref *_end, (int)end);

    /// <summary>Copies bytes into the ring, from a position on. They continue at the start of the ring.</summary>
    public void CopyFrom(ReadOnlySpan<byte> source, uint position)
    {
        var start = position & (Capacity - 1);
        var first = (int)Math.Min((uint)source.Length, Capacity - start);
        source.Slice(0, first).CopyTo(new Span<byte>(_data + start, first));
        if (first < source.Length)
            source.Slice(first).CopyTo(new Span<byte>(_data, source.Length - first));
    }

    /// <summary>Copies bytes out of the ring, from a position on.</summary>
    public void CopyTo(Span<byte> destination, uint position)
    {
        var start = position & (Capacity - 1);
        var first = (int)Math.Min((uint)destination.Length, Capacity - start);
        new ReadOnlySpan<byte>(_data + start, first).CopyTo(destination);
        if (first < destination.Length)
            new ReadOnlySpan<byte>(_data, destination.Length - first).CopyTo(destination.Slice(first));
    }
}

/// <summary>The writing side of a ring of bytes. For one thread at a time.</summary>
/// <remarks>
/// The positions that this side relies on are its own and are not in the map. The head comes from the other process: it is read once, checked
/// against the own tail, and kept as a copy. So no write leaves the ring, whatever the other process does to the map.
/// </remarks>
internal sealed class RingProducer
{
    private readonly Ring _ring;
    private uint _tail;
    private uint _head;

    /// <param name="ring">The ring.</param>
    /// <param name="position">Where both sides begin, as the map says too: 0, but for tests.</param>
    public RingProducer(Ring ring, uint position = 0)
    {
        _ring = ring;
        _tail = _head = position;
    }

    /// <summary>Whether bytes can be written. Reads the head again; <c>true</c> too for a head out of range, which the next write reports.</summary>
    public bool HasRoom => _tail - _ring.Head != _ring.Capacity;

    /// <summary>The number of bytes that the other side has not read, as far as the map says.</summary>
    public uint Unread
    {
        get
        {
            var head = _ring.Head; // acquire: the tail is read after it. A thread that does not send could otherwise read a head that is past an old tail.
            return _tail - head;
        }
    }

    /// <summary>Copies as many bytes as there is room for, and publishes them.</summary>
    /// <param name="source">The bytes.</param>
    /// <param name="written">The number of bytes written; 0 if the ring is full.</param>
    /// <returns><c>false</c> if the head is out of range; otherwise, <c>true</c>.</returns>
    public bool TryWrite(ReadOnlySpan<byte> source, out int written)
    {
        written = 0;
        var room = _ring.Capacity - (_tail - _head);
        if (room < (uint)source.Length)
        {
            var head = _ring.Head; // acquire: the other side's reads of these bytes come before our writes
            if (_tail - head > _ring.Capacity)
                return false;
            _head = head;
            room = _ring.Capacity - (_tail - head);
        }

        var size = Math.Min(room, (uint)source.Length);
        if (size == 0)
            return true;

        _ring.CopyFrom(source.Slice(0, (int)size), _tail);
        _tail += size;
        _ring.PublishTail(_tail);
        written = (int)size;
        return true;
    }

    /// <summary>Publishes that nothing more is written. Once.</summary>
    public void End(RingEnd end) => _ring.PublishEnd(end);
}

/// <summary>The reading side of a ring of bytes. For one thread at a time.</summary>
/// <remarks>
/// The position that this side relies on is its own and is not in the map. The tail comes from the other process: it is read once, checked
/// against the own head, and kept as a copy. Bytes are copied out once before they are read, so that the checked bytes are the used bytes.
/// </remarks>
internal sealed class RingConsumer
{
    private readonly Ring _ring;
    private uint _head;
    private uint _tail;

    /// <param name="ring">The ring.</param>
    /// <param name="position">Where both sides begin, as the map says too: 0, but for tests.</param>
    public RingConsumer(Ring ring, uint position = 0)
    {
        _ring = ring;
        _head = _tail = position;
    }

    /// <summary>Whether there are bytes to read, or a tail out of range, which the next read reports.</summary>
    public bool HasBytes => _head != _tail || _ring.Tail != _head;

    /// <summary>The end as the producer set it. A thread that has seen the end also sees the bytes before it.</summary>
    public RingEnd End => _ring.End;

    /// <summary>Copies bytes out of the ring and frees their room.</summary>
    /// <param name="destination">The memory to fill.</param>
    /// <param name="read">The number of bytes read, or 0.</param>
    /// <returns><c>false</c> if the tail is out of range; otherwise, <c>true</c>.</returns>
    public bool TryRead(Span<byte> destination, out int read)
    {
        read = 0;
        if (_head == _tail)
        {
            var tail = _ring.Tail; // acquire: the bytes before the tail are read after it
            if (tail - _head > _ring.Capacity)
                return false;
            _tail = tail;
        }

        var size = Math.Min(_tail - _head, (uint)destination.Length);
        if (size == 0)
            return true;

        _ring.CopyTo(destination.Slice(0, (int)size), _head);
        _head += size;
        _ring.PublishHead(_head);
        read = (int)size;
        return true;
    }
}
