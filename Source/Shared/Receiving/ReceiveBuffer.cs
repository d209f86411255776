using System.Buffers;

namespace Reloaded.Messaging;

/// <summary>Received bytes in one rented array, which grows. The bytes that were not read yet are contiguous. Not thread-safe.</summary>
/// <remarks>The file is compiled into each package that receives, so that no package sees another's internals. A default value holds no array.</remarks>
internal struct ReceiveBuffer
{
    private byte[]? _array;
    private int _start;
    private int _end;

    /// <summary>The size of the array, in bytes; 0 if none is rented.</summary>
    public readonly int Capacity => _array?.Length ?? 0;

    /// <summary>The number of bytes that were received and not read yet.</summary>
    public readonly int Length => _end - _start;

    /// <summary>The bytes that were received and not read yet.</summary>
    public readonly Span<byte> Unread => new(_array, _start, _end - _start);

    /// <summary>The bytes that were read since the last <see cref="Reserve"/>.</summary>
    public readonly Span<byte> Read => new(_array, 0, _start);

    /// <summary>The memory to receive into.</summary>
    public readonly Memory<byte> Room => new(_array, _end, Capacity - _end);

    /// <summary>Adds bytes that were received into <see cref="Room"/>.</summary>
    public void Add(int count) => _end += count;

    /// <summary>Marks bytes at the start of <see cref="Unread"/> as read.</summary>
    public void Skip(int count) => _start += count;

    /// <summary>Moves the unread bytes to the start of the array, and rents a larger array if it is smaller than <paramref name="capacity"/>.</summary>
    public void Reserve(int capacity)
    {
        var unread = Unread;
        if (Capacity < capacity)
        {
            var larger = ArrayPool<byte>.Shared.Rent(capacity);
            unread.CopyTo(larger);
            Return();
            _array = larger;
        }
        else if (_start > 0)
        {
            unread.CopyTo(_array);
        }

        (_start, _end) = (0, unread.Length);
    }

    /// <summary>Removes all bytes, and zeroes and returns the array, so that its next user cannot read them.</summary>
    public void Free()
    {
        Return();
        this = default;
    }

    private readonly void Return()
    {
        if (_array is not null)
            ArrayPool<byte>.Shared.Return(_array, clearArray: true);
    }
}
