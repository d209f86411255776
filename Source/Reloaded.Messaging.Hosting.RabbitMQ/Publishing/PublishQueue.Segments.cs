using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ.Publishing;

/// <content>Where the bytes of messages are.</content>
internal sealed partial class PublishQueue
{
    /// <summary>What is added next goes here.</summary>
    private Segment? _segment;

    /// <summary>Past so many bytes of segments half of them may be of messages that are done.</summary>
    private long _compactAbove = LeastCompacted(maxBytes);

    /// <summary>The bytes of all segments, whatever is in them.</summary>
    public long HeldBytes { get; private set; }

    private static long LeastCompacted(int maxBytes) => 2L * maxBytes + 2 * Segment.Capacity;

    private Segment SegmentFor(int size)
    {
        if (_segment is null || !_segment.HasRoom(size))
        {
            Retire();
            _segment = new Segment(size);
            HeldBytes += _segment.Size;
        }

        return _segment;
    }

    private void Release(Segment segment)
    {
        segment.Release();
        if (segment != _segment)
            FreeIfEmpty(segment);
    }

    private void Retire()
    {
        if (_segment is { } last)
            FreeIfEmpty(last);
        _segment = null;
    }

    private void FreeIfEmpty(Segment segment)
    {
        if (!segment.IsEmpty)
            return;
        HeldBytes -= segment.Size;
        segment.Free();
    }

    /// <summary>Moves messages together: a small one that is not confirmed keeps all of its segment from going back. By the one who takes, who reads none of them meanwhile.</summary>
    private void Compact()
    {
        Retire();
        for (var place = _head; place < _tail; place++)
        {
            ref var entry = ref At(place);
            if (entry.State == OutgoingState.Done)
                continue;
            var from = entry.Segment;
            entry.Segment = SegmentFor(entry.Message.Length);
            entry.Message = entry.Segment.Add(entry.Message.Span, entry.IsSecret);
            Release(from);
        }

        _compactAbove = Math.Max(LeastCompacted(maxBytes), 2 * HeldBytes); // so that each byte is moved once for each that is added
    }
}
