using System;
using System.Buffers;
using System.Buffers.Binary;

namespace Reloaded.Messaging;

/// <summary>The unreliable and sequenced parts that wait until the congestion window lets them go. Not thread-safe.</summary>
/// <remarks>A waiting part becomes worthless soon, so the queue is short: the oldest part makes room for a newer one.</remarks>
internal sealed class LooseSender
{
    /// <summary>The maximum number of waiting bytes.</summary>
    public const int MaxBytes = 64 * 1024;

    /// <summary>The maximum number of waiting parts.</summary>
    public const int MaxParts = 256;

    private readonly DatagramCounters _counts;
    private Waiting[] _waiting = []; // a ring; the size is a power of two
    private uint _first;
    private uint _next;

    public LooseSender(DatagramCounters counts) => _counts = counts;

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
        while (_first != _next && (Bytes + start.Length + rest.Length > MaxBytes || _next - _first == MaxParts))
            Drop(ref SlotOf(_first), DatagramDropReason.NotSent);
        if (_next - _first == (uint)_waiting.Length)
            Grow();
        var array = ArrayPool<byte>.Shared.Rent(start.Length + rest.Length);
        start.CopyTo(array);
        rest.CopyTo(array.AsSpan(start.Length));
        Bytes += start.Length + rest.Length;
        SlotOf(_next++) = new Waiting { Array = array, Size = start.Length + rest.Length, Part = part, Stream = stream };
    }

    /// <summary>Drops the waiting parts of a sequenced stream, because a newer one follows.</summary>
    public void DropOutdated(int stream)
    {
        for (var number = _first; number != _next; number++)
        {
            ref var waiting = ref SlotOf(number);
            if (waiting.Array is not null && waiting.Stream == stream)
                Drop(ref waiting, DatagramDropReason.OutdatedUnsent);
        }
    }

    /// <summary>Moves the oldest part to a datagram with room for <see cref="NextSize"/> bytes.</summary>
    public void Take(ref DatagramWriter datagram)
    {
        ref var waiting = ref SlotOf(_first);
        waiting.Array.AsSpan(0, waiting.Size).CopyTo(datagram.Add(waiting.Part, waiting.Size));
        Free(ref waiting);
    }

    /// <summary>Zeroes and returns the memory.</summary>
    public void Clear()
    {
        while (_first != _next)
            Free(ref SlotOf(_first));
    }

    private void Drop(ref Waiting waiting, DatagramDropReason reason)
    {
        _counts.CountDropped(reason);
        Free(ref waiting);
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
    }
}

/// <summary>The unreliable and sequenced frames that were received and not read. Not thread-safe.</summary>
internal sealed class LooseReceiver
{
    /// <summary>The maximum number of unread bytes.</summary>
    public const int Capacity = 256 * 1024;

    private ByteRing _bytes;
    private ulong _read;
    private ulong _end;

    /// <summary>The bytes that can be read.</summary>
    public int Readable => (int)(_end - _read);

    /// <summary>The memory that is rented, in bytes.</summary>
    public int RentedBytes => _bytes.RentedBytes;

    /// <summary>Adds whole frames.</summary>
    /// <param name="frames">The frames.</param>
    /// <returns><see langword="false"/> if there is no room.</returns>
    public bool TryAdd(ReadOnlySpan<byte> frames)
    {
        if (Readable + frames.Length > Capacity)
            return false;
        _bytes.Reserve(_read, _end + (ulong)frames.Length);
        _bytes.Write(_end, frames);
        _end += (ulong)frames.Length;
        return true;
    }

    /// <summary>Reads bytes.</summary>
    /// <returns>The number of bytes.</returns>
    public int Read(Span<byte> destination)
    {
        var size = Math.Min(destination.Length, Readable);
        _bytes.Read(_read, destination.Slice(0, size));
        _read += (ulong)size;
        if (_read == _end)
            _bytes.Free();
        return size;
    }

    /// <summary>Zeroes and returns the memory.</summary>
    public void Clear()
    {
        _read = _end;
        _bytes.Free();
    }
}

/// <summary>Numbers the sequenced datagrams of each stream, and recognizes received datagrams that are not newer than the newest one of their stream. Not thread-safe.</summary>
internal sealed class SequencedStreams
{
    /// <summary>The number of the stream, and the number of the datagram in the stream.</summary>
    public const int HeaderSize = 1 + sizeof(uint);

    private const int Streams = 256;

    private uint[]? _sending;
    private uint[]? _receiving;

    /// <summary>Writes the header of the next datagram of a stream.</summary>
    public void WriteHeader(Span<byte> destination, byte stream)
    {
        _sending ??= new uint[Streams];
        destination[0] = stream;
        BinaryPrimitives.WriteUInt32LittleEndian(destination.Slice(1), _sending[stream]);
        _sending[stream] = unchecked(_sending[stream] + 1);
    }

    /// <summary>Returns whether a datagram is older than the newest one of its stream, or is a duplicate of it. Otherwise, it becomes the newest one.</summary>
    /// <param name="header">The header of the received datagram.</param>
    public bool IsOutdated(ReadOnlySpan<byte> header)
    {
        _receiving ??= new uint[Streams];
        ref var next = ref _receiving[header[0]];
        var number = BinaryPrimitives.ReadUInt32LittleEndian(header.Slice(1));
        if (unchecked((int)(number - next)) < 0)
            return true;
        next = unchecked(number + 1);
        return false;
    }
}
