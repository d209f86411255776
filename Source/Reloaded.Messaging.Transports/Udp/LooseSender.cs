using System.Buffers;
using System.Buffers.Binary;

namespace Reloaded.Messaging;

/// <summary>The unreliable and sequenced parts that wait until the congestion window lets them go. Not thread-safe.</summary>
/// <remarks>A waiting part becomes worthless soon, so the queue is short: the oldest part makes room for a newer one.</remarks>
internal sealed class LooseSender
{
    /// <summary>The maximum number of waiting bytes, unless a divided message is larger.</summary>
    public const int MaxBytes = 64 * 1024;

    /// <summary>The maximum number of waiting parts.</summary>
    public const int MaxParts = 256;

    private readonly DatagramCounters _counts;
    private readonly int _maxBytes;
    private Waiting[] _waiting = []; // a ring; the size is a power of two
    private uint _first;
    private uint _next;
    private uint _flushed; // no part before it has been added since the last flush

    /// <param name="counts">Counts dropped parts.</param>
    /// <param name="largest">The size of the parts of the largest message, in bytes. A message does not drop its own parts.</param>
    public LooseSender(DatagramCounters counts, int largest) => (_counts, _maxBytes) = (counts, Math.Max(MaxBytes, largest));

    /// <summary>The bytes that wait.</summary>
    public int Bytes { get; private set; }

    /// <summary>The size of the oldest part; 0 if none waits.</summary>
    public int NextSize => _first == _next ? 0 : SlotOf(_first).Size;

    /// <summary>Adds a part. Drops parts to make room for it.</summary>
    /// <param name="part">The kind.</param>
    /// <param name="start">The start of the body.</param>
    /// <param name="rest">The rest of the body.</param>
    /// <param name="stream">The stream of a sequenced part; negative for an unreliable part.</param>
    public void Add(DatagramPart part, ReadOnlySpan<byte> start, ReadOnlySpan<byte> rest, int stream)
    {
        while (_first != _next && (Bytes + start.Length + rest.Length > _maxBytes || _next - _first == MaxParts))
            Drop(_first, DatagramDropReason.NotSent);
        if (_next - _first == (uint)_waiting.Length)
            Grow();
        var array = ArrayPool<byte>.Shared.Rent(start.Length + rest.Length);
        start.CopyTo(array);
        rest.CopyTo(array.AsSpan(start.Length));
        Bytes += start.Length + rest.Length;
        SlotOf(_next++) = new Waiting { Array = array, Size = start.Length + rest.Length, Part = part, Stream = stream };
    }

    /// <summary>Adds a frame to the newest part, if that part waits, has the same kind and stream, and has room.</summary>
    /// <param name="part">The kind.</param>
    /// <param name="stream">The stream of a sequenced part; negative for an unreliable part.</param>
    /// <param name="prefix">The length of the frame.</param>
    /// <param name="message">The rest of the frame.</param>
    /// <param name="room">The maximum size of a part, in bytes.</param>
    public bool TryExtend(DatagramPart part, int stream, ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> message, int room)
    {
        if (_first == _next)
            return false;
        ref var last = ref SlotOf(_next - 1);
        var size = last.Size + prefix.Length + message.Length;
        if (last.Array is null || last.Part != part || last.Stream != stream || size > room || Bytes + size - last.Size > _maxBytes)
            return false;
        if (size > last.Array.Length)
        {
            var larger = ArrayPool<byte>.Shared.Rent(Math.Min(room, 2 * size));
            last.Array.AsSpan(0, last.Size).CopyTo(larger);
            last.Array.AsSpan(0, last.Size).Clear();
            ArrayPool<byte>.Shared.Return(last.Array);
            last.Array = larger;
        }

        prefix.CopyTo(last.Array.AsSpan(last.Size));
        message.CopyTo(last.Array.AsSpan(last.Size + prefix.Length));
        Bytes += size - last.Size;
        last.Size = size;
        return true;
    }

    /// <summary>Ends a flush. What waits now is older than what is added later.</summary>
    public void NoteFlushed() => _flushed = _next;

    /// <summary>The number of parts that were added; <see cref="HasSent"/> takes it.</summary>
    public uint Added => _next;

    /// <summary>Returns whether the parts that were added before a number have left the queue.</summary>
    public bool HasSent(uint added) => (int)(_first - added) >= 0;

    /// <summary>Drops the parts of a sequenced stream that waited at the last flush, because a newer one follows. The frames of one flush do not make each other outdated.</summary>
    public void DropOutdated(int stream)
    {
        for (var number = _first; (int)(_flushed - number) > 0; number++)
        {
            ref var waiting = ref SlotOf(number);
            if (waiting.Array is not null && waiting.Stream == stream)
                Drop(number, DatagramDropReason.OutdatedUnsent);
        }
    }

    /// <summary>Moves the oldest part to a datagram with room for <see cref="NextSize"/> bytes.</summary>
    public void Take(ref DatagramWriter datagram)
    {
        ref var waiting = ref SlotOf(_first);
        waiting.Array.AsSpan(0, waiting.Size).CopyTo(datagram.Add(waiting.Part, waiting.Size));
        Free(ref waiting);
    }

    /// <summary>Drops all parts.</summary>
    public void Clear()
    {
        while (_first != _next)
            Drop(_first, DatagramDropReason.NotSent);
    }

    /// <summary>Drops a part. If it is a fragment, drops the other fragments of its message, which follow it: the receiver cannot use them.</summary>
    private void Drop(uint number, DatagramDropReason reason)
    {
        _counts.CountDropped(reason);
        var message = SlotOf(number).DividedMessage;
        do
            Free(ref SlotOf(number++));
        while (message is not null && number != _next && SlotOf(number).DividedMessage == message);
    }

    private void Free(ref Waiting waiting)
    {
        waiting.Array.AsSpan(0, waiting.Size).Clear();
        ArrayPool<byte>.Shared.Return(waiting.Array!);
        Bytes -= waiting.Size;
        waiting = default;
        while (_first != _next && SlotOf(_first).Array is null)
            _first++;
    }

    private ref Waiting SlotOf(uint number) => ref _waiting[number & (uint)(_waiting.Length - 1)];

    private void Grow()
    {
        var larger = new Waiting[Math.Max(4, 2 * _waiting.Length)];
        for (var number = _first; number != _next; number++)
            larger[number & (uint)(larger.Length - 1)] = SlotOf(number);
        _waiting = larger;
    }

    private struct Waiting
    {
        public byte[]? Array;
        public int Size;
        public int Stream;
        public DatagramPart Part;

        /// <summary>The number of the divided message to which a fragment belongs; <see langword="null"/> for another part.</summary>
        public readonly uint? DividedMessage => Part is DatagramPart.Fragment or DatagramPart.SequencedFragment ? BinaryPrimitives.ReadUInt32LittleEndian(Array) : null;
    }
}
