using System;
using System.Buffers;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The bytes of the messages in a queue. Used under the lock of the queue.</summary>
/// <param name="maxBytes">The limit of the queue, in bytes.</param>
internal sealed class SegmentStore(int maxBytes)
{
    /// <summary>The segment to which the next message is added.</summary>
    private Segment? _current;

    /// <summary>The size of all segments above which they are compacted, because half of the bytes may belong to completed messages.</summary>
    private long _compactAbove = LeastCompacted(maxBytes);

    /// <summary>The size of all segments, including unused space.</summary>
    public long HeldBytes { get; private set; }

    /// <summary>Whether the segments use too much memory, because one small unconfirmed message keeps its whole segment in use.</summary>
    public bool NeedsCompaction => HeldBytes > _compactAbove;

    /// <summary>Copies a message.</summary>
    public void Add(ref Outgoing message, ReadOnlySpan<byte> bytes)
    {
        if (_current is null || !_current.HasRoom(bytes.Length))
        {
            Retire();
            _current = new Segment(bytes.Length);
            HeldBytes += _current.Size;
        }

        message.Segment = _current;
        message.Message = _current.Add(bytes, message.IsSecret);
    }

    /// <summary>Copies a message again, into a segment with fewer completed messages.</summary>
    public void Move(ref Outgoing message)
    {
        var from = message.Segment;
        Add(ref message, message.Message.Span);
        Release(from);
    }

    /// <summary>Records that a message is completed.</summary>
    public void Release(Segment segment)
    {
        segment.Release();
        if (segment != _current)
            FreeIfEmpty(segment);
    }

    /// <summary>Adds no more messages to the current segment.</summary>
    public void Retire()
    {
        if (_current is { } last)
            FreeIfEmpty(last);
        _current = null;
    }

    /// <summary>Records that all messages were moved.</summary>
    public void EndCompaction() =>
        _compactAbove = Math.Max(LeastCompacted(maxBytes), 2 * HeldBytes); // so that at most one byte is moved for each byte that is added

    private static long LeastCompacted(int maxBytes) => 2L * maxBytes + 2 * Segment.Capacity;

    private void FreeIfEmpty(Segment segment)
    {
        if (!segment.IsEmpty)
            return;
        HeldBytes -= segment.Size;
        segment.Free();
    }
}

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
