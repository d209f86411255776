using System.Diagnostics;

namespace Reloaded.Messaging;

/// <summary>Holds the bytes of ordered frames until the other side has acknowledged them, and chooses which bytes are sent next. Not thread-safe.</summary>
/// <remarks>
/// The bytes are divided into segments. A segment is sent as a whole, and again as a whole if the datagram with it is lost. Segments that follow each other
/// share a datagram, so that many small frames need few datagrams. A segment that crosses the limit of the receiver is divided there, because the receiver
/// may wait for the bytes before the limit until it makes more room.
/// </remarks>
/// <param name="segmentSize">The largest size of a segment, in bytes.</param>
/// <param name="room">The room of the receiver before it announces more, in bytes.</param>
internal sealed class OrderedSender(int segmentSize, int room)
{
    /// <summary>The maximum number of bytes that are on their way: from the first byte that was not acknowledged to the last one that was sent.</summary>
    public const int Capacity = 4 << 20; // 80 MB/s at a round trip of 50 ms

    /// <summary>The room of channel 0 before the receiver announces more (bytes).</summary>
    public const int InitialRoom = 64 * 1024;

    private ByteRing _bytes;
    private Segment[] _segments = new Segment[4]; // a ring; the size is a power of two
    private uint _first; // the oldest segment that is not acknowledged
    private uint _unsent; // the first segment that was never sent
    private uint _next; // the segment after the last one
    private uint _oldestLost; // no segment before it is lost; not before _first
    private int _lost;
    private ulong _limit = (ulong)room;

    /// <summary>The bytes that were never sent.</summary>
    public int UnsentBytes { get; private set; }

    /// <summary>The memory of sent bytes, in bytes: the other side has not acknowledged them.</summary>
    public int HeldBytes => Math.Max(0, _bytes.RentedBytes - UnsentBytes);

    /// <summary>The number of frames whose arrival was not confirmed. Frames of a barrier do not count.</summary>
    public int UnconfirmedFrames { get; private set; }

    /// <summary>Whether every appended byte was acknowledged.</summary>
    public bool HasAllArrived => _first == _next;

    /// <summary>Whether bytes can be sent now: lost bytes, or new bytes for which the receiver has room.</summary>
    public bool CanSend => _lost > 0 || (_unsent != _next && HasRoom(in SegmentOf(_unsent)));

    /// <summary>The offset of the first byte that was not acknowledged.</summary>
    public ulong Start => _first == _next ? End : SegmentOf(_first).Offset;

    /// <summary>The offset of the first byte that was never sent.</summary>
    public ulong Unsent => _unsent == _next ? End : SegmentOf(_unsent).Offset;

    /// <summary>The offset after the last appended byte.</summary>
    public ulong End { get; private set; }

    /// <summary>Appends bytes.</summary>
    /// <param name="bytes">The bytes. They are copied.</param>
    /// <param name="ended">The number of frames to count as unconfirmed until the last byte has arrived.</param>
    public void Append(ReadOnlySpan<byte> bytes, int ended)
    {
        _bytes.Reserve(Start, End + (ulong)bytes.Length);
        while (!bytes.IsEmpty)
        {
            if (_unsent == _next || SegmentOf(_next - 1).Size >= segmentSize)
                AddSegment();
            ref var segment = ref SegmentOf(_next - 1);
            var size = Math.Min(bytes.Length, segmentSize - segment.Size);
            _bytes.Write(End, bytes.Slice(0, size));
            segment.Size += size;
            UnsentBytes += size;
            End += (ulong)size;
            bytes = bytes.Slice(size);
        }

        SegmentOf(_next - 1).Frames += ended;
        UnconfirmedFrames += ended;
    }

    /// <summary>Takes segments for a datagram: lost ones first, then new ones. The caller sends them.</summary>
    /// <param name="size">The bytes that the datagram can carry.</param>
    /// <param name="packet">The number of the datagram.</param>
    /// <param name="first">Receives the number of the first segment.</param>
    /// <param name="count">Receives the number of segments; 0 if none can be sent now, or none fits.</param>
    /// <param name="offset">Receives the offset of the first byte.</param>
    /// <returns>The number of bytes.</returns>
    public int Take(int size, ulong packet, out uint first, out int count, out ulong offset)
    {
        count = 0;
        offset = 0;
        var isLost = _lost > 0;
        if (!isLost)
            DivideAtLimit();
        first = isLost ? FindLost() : _unsent;
        var taken = 0;
        for (var number = first; number != (isLost ? _unsent : _next); number++)
        {
            ref var segment = ref SegmentOf(number);
            if (taken + segment.Size > size || (isLost ? segment.State != SegmentState.Lost : !IsWithinRoom(in segment)))
                break;
            offset = count == 0 ? segment.Offset : offset;
            (segment.State, segment.Packet) = (SegmentState.Sent, packet);
            taken += segment.Size;
            count++;
        }

        if (isLost)
        {
            _lost -= count;
            _oldestLost = first + (uint)count;
        }
        else
        {
            _unsent += (uint)count;
            UnsentBytes -= taken;
        }

        return taken;
    }

    /// <summary>Copies bytes that <see cref="Take"/> returned.</summary>
    public void Read(ulong offset, Span<byte> destination) => _bytes.Read(offset, destination);

    /// <summary>Frees segments that have arrived.</summary>
    public void NoteAcknowledged(uint first, int count)
    {
        for (var number = first; number != first + (uint)count; number++)
        {
            if (number - _first >= _next - _first)
                continue; // it was acknowledged in another datagram
            ref var segment = ref SegmentOf(number);
            if (segment.State == SegmentState.Acknowledged)
                continue;
            _lost -= segment.State == SegmentState.Lost ? 1 : 0;
            segment.State = SegmentState.Acknowledged;
            UnconfirmedFrames -= segment.Frames;
        }

        while (_first != _next && SegmentOf(_first).State == SegmentState.Acknowledged)
            _first++;
        if (_oldestLost - _first > _next - _first)
            _oldestLost = _first; // it was acknowledged late
        if (_first == _next)
            _bytes.Free();
    }

    /// <summary>Marks the segments of a lost datagram, unless a later datagram contains them.</summary>
    public void NoteLost(uint first, int count, ulong packet)
    {
        for (var number = first; number != first + (uint)count; number++)
        {
            if (number - _first < _next - _first && SegmentOf(number).Packet == packet)
                MarkLost(number);
        }
    }

    /// <summary>Marks the oldest segment that is on its way as lost, because no acknowledgement arrives.</summary>
    /// <returns><see langword="false"/> if no segment is on its way.</returns>
    public bool TryRepeatOldest()
    {
        for (var number = _first; number != _unsent; number++)
        {
            if (SegmentOf(number).State != SegmentState.Sent)
                continue;
            MarkLost(number);
            return true;
        }

        return false;
    }

    /// <summary>Raises the limit up to which the receiver has room.</summary>
    public void NoteRoom(ulong limit) => _limit = Math.Max(_limit, limit);

    /// <summary>Zeroes and returns the memory. Nothing is sent any more.</summary>
    public void Clear()
    {
        (_first, _unsent, _lost, UnsentBytes) = (_next, _next, 0, 0);
        _bytes.Free();
    }

    private ulong Limit => Math.Min(_limit, Start + Capacity);

    private bool IsWithinRoom(in Segment segment) => segment.Offset + (ulong)segment.Size <= Limit;

    /// <summary>Whether a segment, or its first bytes, can be sent now. Less than half of a full segment waits until nothing else is on its way: a receiver could make room byte by byte, and each byte would take a segment.</summary>
    private bool HasRoom(in Segment segment)
    {
        var limit = Limit;
        var room = limit - Math.Min(limit, segment.Offset);
        return room >= (ulong)Math.Min(segment.Size, segmentSize / 2) || (room > 0 && _first == _unsent);
    }

    private void MarkLost(uint number)
    {
        ref var segment = ref SegmentOf(number);
        if (segment.State != SegmentState.Sent)
            return;
        segment.State = SegmentState.Lost;
        if (_lost++ == 0 || number - _first < _oldestLost - _first)
            _oldestLost = number;
    }

    private uint FindLost()
    {
        while (_oldestLost != _unsent && SegmentOf(_oldestLost).State != SegmentState.Lost)
            _oldestLost++;
        return _oldestLost;
    }

    /// <summary>Divides the first unsent segment if only its first bytes can be sent. Its frames count with the second part.</summary>
    private void DivideAtLimit()
    {
        if (_unsent == _next || !HasRoom(in SegmentOf(_unsent)) || IsWithinRoom(in SegmentOf(_unsent)))
            return;
        var limit = Limit;
        AddSegment();
        for (var number = _next - 1; number != _unsent; number--)
            SegmentOf(number) = SegmentOf(number - 1);
        ref var whole = ref SegmentOf(_unsent);
        var size = (int)(limit - whole.Offset);
        ref var rest = ref SegmentOf(_unsent + 1);
        (rest.Offset, rest.Size) = (limit, whole.Size - size);
        (whole.Size, whole.Frames) = (size, 0);
    }

    private void AddSegment()
    {
        if (_next - _first == (uint)_segments.Length)
        {
            var larger = new Segment[2 * _segments.Length];
            for (var number = _first; number != _next; number++)
                larger[number & (uint)(larger.Length - 1)] = SegmentOf(number);
            _segments = larger;
        }

        SegmentOf(_next) = new Segment { Offset = End };
        _next++;
    }

    private ref Segment SegmentOf(uint number)
    {
        Debug.Assert(number - _first <= _next - _first);
        return ref _segments[number & (uint)(_segments.Length - 1)];
    }

    private struct Segment
    {
        public ulong Offset;
        public ulong Packet;
        public int Size;
        public int Frames;
        public SegmentState State;
    }

    private enum SegmentState : byte
    {
        Unsent,
        Sent,
        Lost,
        Acknowledged,
    }
}
