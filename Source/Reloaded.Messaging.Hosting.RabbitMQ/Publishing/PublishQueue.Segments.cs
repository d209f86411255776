using System;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>The storage of the messages' bytes.</content>
internal sealed partial class PublishQueue
{
    /// <summary>The segment to which the next message is added.</summary>
    private Segment? _segment;

    /// <summary>The size of all segments above which the queue compacts them, because half of the bytes may belong to completed messages.</summary>
    private long _compactAbove = LeastCompacted(maxBytes);

    /// <summary>The size of all segments, including unused space.</summary>
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

    /// <summary>Compacts the segments, because one small unconfirmed message keeps its whole segment in use. Called only by the publishing loop, which reads no segment meanwhile.</summary>
    private void Compact()
    {
        Retire();
        for (var index = 0; index < _ring.Count; index++)
            Move(ref _ring[index]);
        foreach (var number in _unconfirmed.Keys)
        {
            ref var flight = ref CollectionsMarshal.GetValueRefOrNullRef(_unconfirmed, number);
            for (var index = 0; index < flight.Count; index++)
            {
                var message = flight.Get(index);
                Move(ref message);
                flight.Set(index, in message);
            }
        }

        foreach (var topic in _refusedTopics)
            topic.Refused!.Replace(MoveOne);

        _compactAbove = Math.Max(LeastCompacted(maxBytes), 2 * HeldBytes); // so that at most one byte is moved for each byte that is added
    }

    private Outgoing MoveOne(Outgoing message)
    {
        Move(ref message);
        return message;
    }

    private void Move(ref Outgoing message)
    {
        var from = message.Segment;
        message.Segment = SegmentFor(message.Message.Length);
        message.Message = message.Segment.Add(message.Message.Span, message.IsSecret);
        Release(from);
    }
}
