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
