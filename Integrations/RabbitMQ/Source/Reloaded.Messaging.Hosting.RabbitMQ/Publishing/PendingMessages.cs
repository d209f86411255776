using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The messages of a queue that are not completed: their order, their bytes, the room that they take, and the flushes that wait for them. Used under the lock of the queue.</summary>
/// <remarks>
/// A message waits in the ring, is in a flight while it is published and not confirmed, or waits with its topic while a full queue refuses it (see <see cref="Refusals"/>) or an
/// earlier channel does not confirm the messages before it (see <see cref="EarlierChannels"/>).
/// </remarks>
/// <param name="maxBytes">The limit of the queue, in bytes.</param>
internal sealed class PendingMessages(int maxBytes)
{
    private readonly OutgoingRing _ring = new();
    private readonly SegmentStore _segments = new(maxBytes);

    /// <summary>The number of messages.</summary>
    public long Count => _ring.Count + Flights.Messages + Room.RefusedCount;

    /// <summary>The size of the messages that wait or are unconfirmed, without the overhead, in bytes.</summary>
    public long Bytes => Room.Used - ((long)(_ring.Count + Flights.Messages) * PublishQueue.Overhead);

    /// <summary>The memory for the messages, including unused space, in bytes.</summary>
    public long HeldBytes => _segments.HeldBytes;

    /// <summary>The publications of the current channel that are not confirmed.</summary>
    public UnconfirmedFlights Flights { get; private set; } = new(1);

    public PublishRoom Room { get; } = new(maxBytes);

    public Flushes Flushes { get; } = new();

    /// <summary>Adds a message after the others, and copies its bytes. The caller sets the rest of the message.</summary>
    public ref Outgoing Add(ReadOnlySpan<byte> bytes, bool isSecret)
    {
        ref var added = ref _ring.AddLast();
        added = new Outgoing { IsSecret = isSecret, Epoch = Flushes.Add() };
        _segments.Add(ref added, bytes);
        Room.Add(added.Size);
        return ref added;
    }

    /// <summary>Adds a message that was refused after the others.</summary>
    public void Offer(in Outgoing message)
    {
        Restore(message.Size);
        _ring.AddLast() = message;
    }

    /// <summary>Adds a message that waited for an earlier channel before the others.</summary>
    public void OfferFirst(in Outgoing message)
    {
        Restore(message.Size);
        _ring.AddFirst(in message);
    }

    /// <summary>Counts a message as one that waits or is unconfirmed, and no longer as refused.</summary>
    public void Restore(int size)
    {
        Room.Add(size);
        Room.RemoveRefused(size);
    }

    /// <summary>Begins with another channel, whose publications are numbered anew.</summary>
    public void StartChannel() => Flights = new UnconfirmedFlights(Flights.Channel + 1);

    /// <summary>Adds a message that is sent again before the others.</summary>
    public void AddFirst(in Outgoing message) => _ring.AddFirst(in message);

    /// <summary>Whether the current channel may publish the first message now. <c>false</c> if no message waits.</summary>
    public bool IsNextAccepted => _ring.Count > 0 && Flights.AcceptsMore;

    /// <summary>Returns whether a message of another topic waits, and does not wait for an earlier channel.</summary>
    public bool HasOther(TopicState topic)
    {
        for (var index = 0; index < _ring.Count; index++)
        {
            if (_ring[index].Topic is { Silent: null } other && other != topic)
                return true;
        }

        return false;
    }

    /// <summary>Takes the first message.</summary>
    public bool TryTakeFirst(out Outgoing message)
    {
        if (_ring.Count == 0)
        {
            message = default;
            return false;
        }

        message = _ring.RemoveFirst();
        return true;
    }

    /// <summary>Begins the publication of a message, with the messages that follow in the same topic if there is a batch.</summary>
    /// <param name="head">The message, which <see cref="TryTakeFirst"/> returned.</param>
    /// <param name="batch">The buffer for a batch, with room for <paramref name="batchBytes"/>; <c>null</c> to publish one message.</param>
    /// <param name="batchBytes">The maximum size of a batch, in bytes.</param>
    public Publication Publish(in Outgoing head, MessageBatch? batch, int batchBytes)
    {
        var flight = new Flight(in head);
        ReadOnlyMemory<byte> body = head.Message;
        if (batch is not null && Follows(in head, 1, head.Message.Length, batchBytes))
        {
            batch.Clear();
            batch.TryAppend(head.Message.Span, head.IsSecret);
            while (Follows(in head, flight.Count, batch.Length, batchBytes) && batch.TryAppend(_ring[0].Message.Span, _ring[0].IsSecret))
            {
                var next = _ring.RemoveFirst();
                flight.Add(in next);
            }

            body = batch.Memory;
        }

        return new Publication(body, Flights.Add(in flight), flight.Count, head);
    }

    /// <summary>Completes a message that was taken, and returns its memory.</summary>
    public void End(in Outgoing message, bool isConfirmed)
    {
        Room.Remove(message.Size);
        _segments.Release(message.Segment);
        if (message.Topic is { } topic)
            topic.Open--;
        message.Handled?.Complete(isConfirmed);
        Flushes.Remove(message.Epoch!);
    }

    /// <summary>Copies the messages into fewer segments if unused space takes too much memory. Called only by the publishing loop, which reads no segment meanwhile.</summary>
    /// <param name="refusals">The messages that wait with their topics.</param>
    /// <param name="earlier">The messages of earlier channels.</param>
    public void Compact(Refusals refusals, EarlierChannels earlier)
    {
        if (!_segments.NeedsCompaction)
            return;
        _segments.Retire();
        for (var index = 0; index < _ring.Count; index++)
            _segments.Move(ref _ring[index]);
        Flights.MoveAll(_segments);
        refusals.Replace(MoveOne);
        earlier.Move(_segments, MoveOne);
        _segments.EndCompaction();
    }

    /// <summary>Returns the unused memory.</summary>
    public void Retire() => _segments.Retire();

    private bool Follows(in Outgoing head, int count, int size, int batchBytes)
    {
        if (_ring.Count == 0 || head.Topic is null)
            return false;
        ref var next = ref _ring[0];
        return next.Topic == head.Topic
            && next.Number == head.Number + (ulong)count
            && next.Slot == head.Slot
            && next.Id is null
            && head.Id is null
            && next.IsRepeated == head.IsRepeated
            && next.IsReleased == head.IsReleased
            && size + next.Message.Length + 2 * UVarint.MaxSize <= batchBytes;
    }

    private Outgoing MoveOne(Outgoing message)
    {
        _segments.Move(ref message);
        return message;
    }
}

/// <summary>The purpose of a message, which determines its exchange and its properties.</summary>
internal enum OutgoingKind : byte
{
    Event = 0,
    Request,
    Answer,
}

/// <summary>The waiting messages, in order. Messages can be added at both ends: messages that were sent over a lost connection are added at the front.</summary>
/// <remarks>A <see cref="System.Collections.Generic.Queue{T}"/> is added to at one end only, and gives no references, by which a compaction moves the bytes of the messages.</remarks>
internal sealed class OutgoingRing
{
    private Outgoing[] _places = new Outgoing[64];
    private long _head;
    private long _tail;

    public int Count => (int)(_tail - _head);

    /// <summary>Returns the message at a position from the front.</summary>
    public ref Outgoing this[int index] => ref At(_head + index);

    public ref Outgoing AddLast()
    {
        Grow();
        return ref At(_tail++);
    }

    public void AddFirst(in Outgoing message)
    {
        Grow();
        At(--_head) = message;
    }

    public Outgoing RemoveFirst()
    {
        ref var place = ref At(_head++);
        var first = place;
        place = default;
        return first;
    }

    private ref Outgoing At(long place) => ref _places[place & (_places.Length - 1)];

    private void Grow()
    {
        if (_tail - _head < _places.Length)
            return;
        var larger = new Outgoing[_places.Length * 2];
        for (var place = _head; place < _tail; place++)
            larger[place & (larger.Length - 1)] = At(place);
        _places = larger;
    }
}

/// <summary>The content of one broker message: one message, or several messages of one topic.</summary>
/// <param name="Body">The packed message, or a batch of packed messages. Valid until it is published.</param>
/// <param name="Flight">The number of the publication since the channel was opened.</param>
/// <param name="Count">The number of messages.</param>
/// <param name="Head">The first message.</param>
internal readonly record struct Publication(ReadOnlyMemory<byte> Body, ulong Flight, int Count, Outgoing Head);
