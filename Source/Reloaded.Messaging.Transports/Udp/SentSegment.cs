using System;
using System.Buffers;
using System.Buffers.Binary;

namespace Reloaded.Messaging;

/// <summary>A segment that was sent, in rented memory until its arrival is confirmed.</summary>
internal struct SentSegment
{
    private byte[]? _array;
    private int _size;

    /// <summary>The number of frames that end in this segment and whose arrival is counted.</summary>
    public int Frames { get; private set; }

    /// <summary>The time at which the segment was last sent.</summary>
    public long SentAt { get; set; }

    /// <summary>The time after <see cref="SentAt"/> at which the segment is resent.</summary>
    public TimeSpan Delay { get; set; }

    public bool IsResent { get; set; }

    public readonly bool IsFree => _array is null;

    /// <summary>The header and the bytes.</summary>
    public readonly ReadOnlyMemory<byte> Memory => new(_array, 0, _size);

    /// <summary>Copies the bytes of a segment.</summary>
    /// <param name="number">The number of the segment.</param>
    /// <param name="bytes">The bytes.</param>
    /// <param name="isLast">Whether the next segment begins with a frame.</param>
    /// <param name="frames">The number of frames whose arrival is counted.</param>
    public void Fill(uint number, ReadOnlySpan<byte> bytes, bool isLast, int frames)
    {
        _size = ReliableSender.HeaderSize + bytes.Length;
        _array = ArrayPool<byte>.Shared.Rent(_size);
        BinaryPrimitives.WriteUInt32LittleEndian(_array, number);
        _array[sizeof(uint)] = isLast ? (byte)0 : (byte)1;
        bytes.CopyTo(_array.AsSpan(ReliableSender.HeaderSize));
        Frames = frames;
        IsResent = false;
    }

    /// <summary>Zeroes and returns the memory. May be called more than once.</summary>
    public void Free()
    {
        if (_array is null)
            return;
        _array.AsSpan(0, _size).Clear();
        ArrayPool<byte>.Shared.Return(_array);
        _array = null;
    }
}
