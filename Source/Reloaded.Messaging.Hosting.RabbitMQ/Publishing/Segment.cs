using System;
using System.Buffers;

namespace Reloaded.Messaging.Hosting.RabbitMQ.Publishing;

/// <summary>Bytes of messages that wait, one after the other, in a rented array that goes back when the last of them is done.</summary>
/// <remarks>
/// A copy into it costs less than to keep each message's own buffer: those come in hundreds of bytes, from a pool that keeps a thousand of
/// them, and a burst of 10,000 messages of 25 bytes allocated 320 B for each.
/// </remarks>
internal sealed class Segment(int leastCapacity)
{
    private const int Capacity = 64 * 1024;

    private byte[] _array = ArrayPool<byte>.Shared.Rent(Math.Max(leastCapacity, Capacity));
    private int _used;
    private int _live;
    private bool _holdsSecret;

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

    /// <summary>One of its messages is done.</summary>
    /// <param name="isCurrent">Whether more may be added.</param>
    public void Release(bool isCurrent)
    {
        if (--_live > 0)
            return;
        if (!isCurrent)
        {
            Free();
            return;
        }

        if (_holdsSecret)
            _array.AsSpan(0, _used).Clear();
        (_used, _holdsSecret) = (0, false);
    }

    /// <summary>Nothing more is added.</summary>
    public void Retire()
    {
        if (_live == 0)
            Free();
    }

    private void Free()
    {
        ArrayPool<byte>.Shared.Return(_array, _holdsSecret);
        _array = [];
    }
}
