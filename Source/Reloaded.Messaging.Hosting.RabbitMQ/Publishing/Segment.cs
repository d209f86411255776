using System;
using System.Buffers;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Bytes of messages that wait, one after the other, in a rented array that goes back when the last of them is done.</summary>
/// <remarks>
/// A copy into it costs less than to keep each message's own buffer: those come in hundreds of bytes, from a pool that keeps a thousand of
/// them, and a burst of 10,000 messages of 25 bytes allocated 320 B for each.
/// </remarks>
internal sealed class Segment(int leastCapacity)
{
    public const int Capacity = 64 * 1024;

    private byte[] _array = ArrayPool<byte>.Shared.Rent(Math.Max(leastCapacity, Capacity));
    private int _used;
    private int _live;
    private bool _holdsSecret;

    /// <summary>What it takes of the memory, in bytes.</summary>
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

    /// <summary>One of its messages is done. After the last it begins anew.</summary>
    public void Release()
    {
        if (--_live > 0)
            return;
        if (_holdsSecret)
            _array.AsSpan(0, _used).Clear();
        (_used, _holdsSecret) = (0, false);
    }

    /// <summary>Gives the memory back. When it is empty.</summary>
    public void Free()
    {
        ArrayPool<byte>.Shared.Return(_array);
        _array = [];
    }
}
