using System;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

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

        _compactAbove = Math.Max(LeastCompacted(maxBytes), 2 * HeldBytes); // so that each byte is moved once for each that is added
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
