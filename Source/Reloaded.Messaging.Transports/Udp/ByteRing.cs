using System.Buffers;
using System.Numerics;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>The bytes of a stream, addressed by their offset in the stream. They are in segments, which are rented when they are first written, and returned when no byte of them is held. Not thread-safe.</summary>
internal struct ByteRing
{
    /// <summary>The size of a segment, in bytes. One datagram writes into at most two segments, unless it is larger than a segment.</summary>
    public const int SegmentSize = 2048;

    private const int InitialSegments = 4;

    private byte[]?[]? _segments; // its size is a power of two
    private ulong _first; // the number of the first segment that is held

    /// <summary>The size of the segments, in bytes.</summary>
    public int RentedBytes { get; private set; }

    private readonly ref byte[]? SegmentOf(ulong number) => ref _segments![(int)number & (_segments.Length - 1)];

    /// <summary>Provides a place for the offsets of a range. Keeps the bytes from <paramref name="start"/> on.</summary>
    public void Reserve(ulong start, ulong end)
    {
        var first = start / SegmentSize;
        if (_segments is null)
            _first = first;
        for (; _first < first && RentedBytes > 0; _first++)
            Free(ref SegmentOf(_first));
        _first = first;
        var needed = checked((int)((end + SegmentSize - 1) / SegmentSize - first));
        if (needed <= (_segments?.Length ?? 0))
            return;
        var before = _segments;
        _segments = ArrayPool<byte[]?>.Shared.Rent((int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(InitialSegments, needed)));
        Array.Clear(_segments, 0, _segments.Length); // another user of the pool may have left references
        if (before is null)
            return;
        for (var number = first; number < first + (ulong)before.Length; number++)
            SegmentOf(number) = before[(int)number & (before.Length - 1)];
        ArrayPool<byte[]?>.Shared.Return(before, clearArray: true);
    }

    /// <summary>Writes bytes to a range for which <see cref="Reserve"/> has provided a place.</summary>
    public void Write(ulong offset, ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            ref var segment = ref SegmentOf(offset / SegmentSize);
            if (segment is null)
            {
                segment = ArrayPool<byte>.Shared.Rent(SegmentSize);
                RentedBytes += SegmentSize;
            }

            var place = segment.AsSpan((int)(offset % SegmentSize), SegmentSize - (int)(offset % SegmentSize));
            var size = Math.Min(bytes.Length, place.Length);
            bytes.Slice(0, size).CopyTo(place);
            bytes = bytes.Slice(size);
            offset += (ulong)size;
        }
    }

    /// <summary>Copies bytes that were written.</summary>
    public readonly void Read(ulong offset, Span<byte> destination)
    {
        while (!destination.IsEmpty)
        {
            var index = (int)(offset % SegmentSize);
            var size = Math.Min(destination.Length, SegmentSize - index);
            SegmentOf(offset / SegmentSize).AsSpan(index, size).CopyTo(destination);
            destination = destination.Slice(size);
            offset += (ulong)size;
        }
    }

    /// <summary>Zeroes and returns the memory. May be called more than once.</summary>
    public void Free()
    {
        if (_segments is null)
            return;
        for (var i = 0; RentedBytes > 0; i++)
            Free(ref _segments[i]);
        ArrayPool<byte[]?>.Shared.Return(_segments);
        _segments = null;
    }

    private void Free(ref byte[]? segment)
    {
        if (segment is null)
            return;
        CryptographicOperations.ZeroMemory(segment.AsSpan(0, SegmentSize)); // the bytes may be decrypted data
        ArrayPool<byte>.Shared.Return(segment);
        segment = null;
        RentedBytes -= SegmentSize;
    }
}
