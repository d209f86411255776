using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Orders the received bytes of ordered frames, and announces the room for more. Not thread-safe.</summary>
/// <remarks>
/// Each byte that is acknowledged has a place: the room is announced before the bytes are sent. The room begins small and doubles each time a
/// whole room was read, so that a connection that exchanges little, or that was not authenticated yet, cannot occupy much memory.
/// </remarks>
/// <param name="room">The first room, in bytes.</param>
/// <param name="growth">The bytes by which the room may grow. The room then also grows to hold a large frame, so that such a frame does not delay another channel. <see langword="null"/> for no limit except <see cref="MaxRoom"/>.</param>
internal sealed class OrderedReceiver(int room, RoomBudget? growth)
{
    /// <summary>The largest room (bytes).</summary>
    public const int MaxRoom = OrderedSender.Capacity;

    /// <summary>The maximum number of gaps. A datagram that would leave more of them is not acknowledged.</summary>
    public const int MaxGaps = 256;

    private readonly List<(ulong Start, ulong End)> _early = []; // ordered, not touching each other
    private ByteRing _bytes;
    private ulong _read; // the first byte that was not read
    private ulong _arrived; // the first byte that has not arrived
    private ulong _frames; // the end of the last frame that can be read
    private ulong _streamed; // the end of a frame that is larger than half of the room, and is read in parts
    private int _room = room;
    private int _readSinceGrowth;
    private bool _isRaw;

    /// <summary>The offset up to which the other side may send.</summary>
    public ulong Limit { get; private set; } = (ulong)room;

    /// <summary>The end of the frames that have arrived, and of a frame that is read in parts.</summary>
    public ulong End => Math.Max(_frames, _streamed);

    /// <summary>The bytes that can be read.</summary>
    public int Readable => (int)(_frames - _read);

    /// <summary>The bytes that are held, including bytes that arrived early.</summary>
    public int HeldBytes => (int)((_early.Count == 0 ? _arrived : _early[^1].End) - _read);

    /// <summary>The memory that is rented, in bytes.</summary>
    public int RentedBytes => _bytes.RentedBytes;

    /// <summary>Whether a larger room should be announced.</summary>
    public bool HasNewRoom => _read + (ulong)_room >= Limit + (ulong)(_room / 4);

    /// <summary>Adds bytes.</summary>
    /// <param name="offset">The offset of the first byte.</param>
    /// <param name="bytes">The bytes. They are copied.</param>
    /// <returns><see langword="false"/> if the bytes exceed the announced room or leave too many gaps; they must not be acknowledged.</returns>
    public bool TryAdd(ulong offset, ReadOnlySpan<byte> bytes)
    {
        var end = unchecked(offset + (ulong)bytes.Length);
        if (end > Limit || end < offset)
            return false;
        if (end <= _arrived)
            return true;
        if (offset < _arrived)
        {
            bytes = bytes.Slice((int)(_arrived - offset));
            offset = _arrived;
        }

        if (offset > _arrived && !TryAddEarly(offset, end))
            return false;
        _bytes.Reserve(_read, Math.Max(end, _read + (ulong)HeldBytes));
        _bytes.Write(offset, bytes);
        if (offset > _arrived)
            return true;
        _arrived = end;
        while (_early.Count > 0 && _early[0].Start <= _arrived)
        {
            _arrived = Math.Max(_arrived, _early[0].End);
            _early.RemoveAt(0);
        }

        FindFrames();
        return true;
    }

    /// <summary>Reads bytes of whole frames, or of a frame that is read in parts.</summary>
    /// <param name="destination">The memory to fill.</param>
    /// <returns>The number of bytes.</returns>
    public int Read(Span<byte> destination)
    {
        var size = Math.Min(destination.Length, Readable);
        if (size == 0)
            return 0;
        _bytes.Read(_read, destination.Slice(0, size));
        _read += (ulong)size;
        if (HeldBytes == 0)
            _bytes.Free();
        _readSinceGrowth += size;
        if (_readSinceGrowth >= _room)
        {
            _readSinceGrowth = 0;
            Grow(2 * _room);
        }

        return size;
    }

    /// <summary>Announces the present room.</summary>
    /// <returns>The offset up to which the other side may send.</returns>
    public ulong Announce() => Limit = Math.Max(Limit, _read + (ulong)_room);

    /// <summary>Zeroes and returns the memory.</summary>
    public void Clear()
    {
        _early.Clear();
        _bytes.Free();
        _read = _arrived = _frames = _streamed = Limit;
    }

    private bool TryAddEarly(ulong offset, ulong end)
    {
        var at = 0;
        while (at < _early.Count && _early[at].End < offset)
            at++;
        var last = at;
        for (; last < _early.Count && _early[last].Start <= end; last++)
            (offset, end) = (Math.Min(offset, _early[last].Start), Math.Max(end, _early[last].End));
        if (last == at && _early.Count == MaxGaps)
            return false;
        if (last == at)
        {
            _early.Insert(at, (offset, end));
            return true;
        }

        _early[at] = (offset, end);
        _early.RemoveRange(at + 1, last - at - 1);
        return true;
    }

    /// <summary>Returns whether a frame can arrive as a whole before it is read. The announced room may be a quarter less than the room.</summary>
    private bool Holds(ulong size)
    {
        if (growth is null)
            return size <= (ulong)_room / 2;
        if (size <= (ulong)MaxRoom / 4 * 3)
            Grow((int)size / 3 * 4 + 4);
        return size <= (ulong)_room / 4 * 3;
    }

    private void Grow(int wanted)
    {
        var grown = Math.Min(Math.Min(wanted, MaxRoom) - _room, growth?.Left ?? MaxRoom);
        if (grown <= 0)
            return;
        _room += grown;
        if (growth is not null)
            growth.Left -= grown;
    }

    /// <summary>Finds the ends of the frames that have arrived.</summary>
    private void FindFrames()
    {
        Span<byte> prefix = stackalloc byte[UVarint.MaxSize];
        while (true)
        {
            if (_isRaw || _frames < _streamed)
                _frames = _isRaw ? _arrived : Math.Min(_arrived, _streamed);
            if (_frames < _streamed || _frames == _arrived)
                return;
            var start = prefix.Slice(0, (int)Math.Min((ulong)prefix.Length, _arrived - _frames));
            _bytes.Read(_frames, start);
            var status = UVarint.TryRead(start, out var length, out var size);
            if (status == HeaderStatus.Truncated)
                return;
            if (status != HeaderStatus.Ok)
            {
                _isRaw = true; // the reader of the frames refuses them
                continue;
            }

            var end = _frames + (ulong)size + length;
            if (!Holds(end - _frames))
                _streamed = end;
            else if (end > _arrived)
                return;
            else
                _frames = end;
        }
    }
}
