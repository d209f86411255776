using System;
using System.Buffers;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A rented array with the bytes of waiting messages. It is returned when the last of its messages is completed.</summary>
/// <remarks>
/// Copying a message into a segment costs less than keeping the buffer of each message. Such buffers have hundreds of bytes and come from a pool
/// of limited size, so a long burst of small messages would allocate many of them.
/// </remarks>
internal sealed class Segment(int leastCapacity)
{
    public const int Capacity = 64 * 1024;

    private byte[] _array = ArrayPool<byte>.Shared.Rent(Math.Max(leastCapacity, Capacity));
    private int _used;
    private int _live;
    private bool _holdsSecret;

    /// <summary>The size of the segment in memory, in bytes.</summary>
    public int Size => _array.Length;

    public bool IsEmpty => _live == 0;

    public bool HasRoom(int size) => size <= _array.Length - _used;

    public ReadOnlyMemory<byte> Add(ReadOnlySpan<byte> message, bool isSecret)
    {
        var added = _array.AsMemory(_used, message.Length);
        message.CopyTo(added.Span);
        _used += message.Length;
        _live++;
        _holdsSecret |= isSecret;
        return added;
    }

    /// <summary>Records that one of its messages is completed. After the last message, the segment is reused from its start.</summary>
    public void Release()
    {
        if (--_live > 0)
            return;
        if (_holdsSecret)
            _array.AsSpan(0, _used).Clear();
        (_used, _holdsSecret) = (0, false);
    }

    /// <summary>Returns the memory. Called when the segment is empty.</summary>
    public void Free()
    {
        ArrayPool<byte>.Shared.Return(_array);
        _array = [];
    }
}
