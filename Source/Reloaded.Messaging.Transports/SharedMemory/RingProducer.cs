namespace Reloaded.Messaging;

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
