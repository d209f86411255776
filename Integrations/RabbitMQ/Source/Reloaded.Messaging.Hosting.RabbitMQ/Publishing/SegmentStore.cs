using System;

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
