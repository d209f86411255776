using System;
using System.Buffers;
using System.Numerics;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>The bytes of a stream, addressed by their offset in the stream. The array is rented, grows, and is returned when no byte is held. Not thread-safe.</summary>
internal struct ByteRing
{
    private const int InitialCapacity = 2048;

    private byte[]? _array; // its size is a power of two
    private ulong _origin; // the offset of the first byte of the array
    private int _dirty; // the size of the part of the array that was written

    /// <summary>Provides memory for the offsets of a range. Keeps the bytes from <paramref name="start"/> on.</summary>
    public void Reserve(ulong start, ulong end)
    {
        var needed = checked((int)(end - start));
        if (_array is null)
        {
            _array = ArrayPool<byte>.Shared.Rent((int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(InitialCapacity, needed)));
            (_origin, _dirty) = (start, 0);
        }
        else if (needed > _array.Length)
        {
            var larger = ArrayPool<byte>.Shared.Rent((int)BitOperations.RoundUpToPowerOf2((uint)needed));
            var held = _array.Length;
            Read(start, larger.AsSpan(0, held));
            Free();
            (_array, _origin, _dirty) = (larger, start, held);
        }
    }

    /// <summary>Writes bytes to a range for which <see cref="Reserve"/> has provided memory.</summary>
    public void Write(ulong offset, ReadOnlySpan<byte> bytes)
    {
        var index = IndexOf(offset);
        var first = Math.Min(bytes.Length, _array!.Length - index);
        bytes.Slice(0, first).CopyTo(_array.AsSpan(index));
        bytes.Slice(first).CopyTo(_array);
        _dirty = first < bytes.Length ? _array.Length : Math.Max(_dirty, index + first);
    }

    /// <summary>Copies bytes that were written.</summary>
    public readonly void Read(ulong offset, Span<byte> destination)
    {
        if (destination.IsEmpty)
            return;
        var index = IndexOf(offset);
        var first = Math.Min(destination.Length, _array!.Length - index);
        _array.AsSpan(index, first).CopyTo(destination);
        _array.AsSpan(0, destination.Length - first).CopyTo(destination.Slice(first));
    }

    /// <summary>Zeroes and returns the memory. May be called more than once.</summary>
    public void Free()
    {
        if (_array is null)
            return;
        CryptographicOperations.ZeroMemory(_array.AsSpan(0, _dirty)); // the bytes may be decrypted data
        ArrayPool<byte>.Shared.Return(_array);
        _array = null;
    }

    private readonly int IndexOf(ulong offset) => (int)(offset - _origin) & (_array!.Length - 1);
}
