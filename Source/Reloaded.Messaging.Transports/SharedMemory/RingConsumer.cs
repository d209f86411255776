namespace Reloaded.Messaging;

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
