using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The messages of a queue that are not completed: their order, their bytes, the room that they take, and the flushes that wait for them. Used under the lock of the queue.</summary>
/// <remarks>A message waits in the ring, is in a flight while it is published and not confirmed, or waits with its topic while a full queue refuses it (see <see cref="Refusals"/>).</remarks>
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

    /// <summary>The publications that are not confirmed.</summary>
    public UnconfirmedFlights Flights { get; } = new();

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
        Room.Add(message.Size);
        Room.RemoveRefused(message.Size);
        _ring.AddLast() = message;
    }

    /// <summary>Adds a message that is sent again before the others.</summary>
    public void AddFirst(in Outgoing message) => _ring.AddFirst(in message);

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
    public void Compact(Refusals refusals)
    {
        if (!_segments.NeedsCompaction)
            return;
        _segments.Retire();
        for (var index = 0; index < _ring.Count; index++)
            _segments.Move(ref _ring[index]);
        Flights.MoveAll(_segments);
        refusals.Replace(MoveOne);
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
