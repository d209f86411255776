using System;
using System.Buffers;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
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

/// <summary>A packed message that waits in the queue for publication.</summary>
internal struct Outgoing
{
    public Segment Segment;
    public ReadOnlyMemory<byte> Message;
    public string Key;
    public string? Expiration;
    public ulong Number;
    public OutgoingKind Kind;

    /// <summary>The slot of the key of an event (see <see cref="PartitionSlot"/>); 0 without a key.</summary>
    public int Slot;

    /// <summary>The id that the program gave to an event; <see langword="null"/> for none.</summary>
    public string? Id;
    public bool IsRepeated;
    public bool IsSecret;

    /// <summary>Whether the topic of the message offers it again after a refusal.</summary>
    public bool IsReleased;

    /// <summary>The topic of an event; <see langword="null"/> for requests and replies.</summary>
    public TopicState? Topic;

    /// <summary>The flush that waits for the message.</summary>
    public FlushEpoch? Epoch;

    /// <summary>The delivery whose handler published the message, and which waits for its confirmation; <see langword="null"/> for most messages.</summary>
    public Delivery? Handled;

    /// <summary>The activity in which the message was published. It becomes the parent of the client library's activity.</summary>
    public Activity? Activity;

    /// <summary>The size of the message with respect to the limit of the queue.</summary>
    public readonly int Size => Message.Length + PublishQueue.Overhead;
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

/// <summary>The publications of one channel that are sent but not confirmed, by the number that the broker uses. Used under the lock of the queue.</summary>
/// <param name="channel">The number of the channel in its queue, from 1.</param>
internal sealed class UnconfirmedFlights(long channel)
{
    /// <summary>
    /// The maximum distance between the oldest unconfirmed publication and the newest one. A channel of the broker that waits for a queue still reads
    /// 200 messages, and then the broker stops reading from the whole connection (seen with RabbitMQ 3.10 and 4.0). So all that follows a publication is read.
    /// </summary>
    public const int Window = 200;

    private readonly Dictionary<ulong, Flight> _flights = [];
    private TopicState? _introduced; // by its first message, to which the broker has not replied
    private ulong _last;
    private ulong _oldest = 1;

    public long Channel => channel;

    /// <summary>The number of publications.</summary>
    public int Count => _flights.Count;

    /// <summary>The number of messages in them.</summary>
    public int Messages { get; private set; }

    /// <summary>The publications.</summary>
    public IReadOnlyCollection<Flight> All => _flights.Values;

    /// <summary>Whether another message may be published now. While a topic is introduced, all messages wait.</summary>
    public bool AcceptsMore => _introduced is null && _last + 1 - Oldest() < Window;

    /// <summary>Lets all messages wait until the broker has replied to the first message of a topic.</summary>
    /// <remarks>
    /// Before the first message, a channel of the broker registers with the queue. If the queue has no majority, the channel does nothing else for more than a minute, and
    /// then refuses the message. A later message of the topic could be stored before the refused one is published again.
    /// </remarks>
    public void Introduce(TopicState topic) => _introduced = topic;

    /// <summary>Records that the broker has replied to a publication of a topic.</summary>
    public void NoteReply(TopicState? topic)
    {
        if (topic is null)
            return;
        topic.KnownOn = channel;
        if (_introduced == topic)
            _introduced = null;
    }

    /// <summary>Adds a publication.</summary>
    /// <returns>Its number.</returns>
    public ulong Add(in Flight flight)
    {
        Messages += flight.Count;
        _flights.Add(++_last, flight);
        return _last;
    }

    /// <summary>Removes a publication.</summary>
    public bool TryRemove(ulong number, out Flight flight)
    {
        if (!_flights.Remove(number, out flight))
            return false;
        Messages -= flight.Count;
        return true;
    }

    /// <summary>Removes the newest publication, if it is not confirmed.</summary>
    public bool TryRemoveLast(out Flight flight) => TryRemove(_last, out flight);

    /// <summary>Removes the oldest publication up to a number.</summary>
    public bool TryRemoveUpTo(ulong number, out Flight flight)
    {
        while (_oldest <= Math.Min(number, _last))
        {
            if (TryRemove(_oldest++, out flight))
                return true;
        }

        flight = default;
        return false;
    }

    /// <summary>Returns the oldest publication; <c>false</c> if every publication is confirmed.</summary>
    public bool TryGetOldest(out Flight oldest) => _flights.TryGetValue(Oldest(), out oldest);

    /// <summary>Removes every publication, the newest first.</summary>
    public IEnumerable<Flight> RemoveAll()
    {
        for (var number = _last; number > 0 && Count > 0; number--)
        {
            if (TryRemove(number, out var flight))
                yield return flight;
        }
    }

    /// <summary>Moves the bytes of every message.</summary>
    public void MoveAll(SegmentStore store)
    {
        foreach (var number in _flights.Keys)
            CollectionsMarshal.GetValueRefOrNullRef(_flights, number).Move(store);
    }

    /// <summary>Returns the number of the oldest publication; the number of the next one if every publication is confirmed.</summary>
    private ulong Oldest()
    {
        while (_oldest <= _last && !_flights.ContainsKey(_oldest))
            _oldest++;
        return _oldest;
    }
}

/// <summary>The messages of a publication that is not yet confirmed.</summary>
internal struct Flight
{
    private Outgoing _first;
    private Outgoing[]? _all;

    public Flight(in Outgoing first) => (_first, Count) = (first, 1);

    public int Count { get; private set; }

    [UnscopedRef]
    public readonly ReadOnlySpan<Outgoing> Messages => _all is null ? new ReadOnlySpan<Outgoing>(in _first) : _all.AsSpan(0, Count);

    /// <summary>The time of the publication, in milliseconds (<see cref="Environment.TickCount64"/>).</summary>
    public long SentAt { get; } = Environment.TickCount64;

    /// <summary>Adds a message to the batch.</summary>
    public void Add(in Outgoing message)
    {
        if (_all is null)
        {
            _all = ArrayPool<Outgoing>.Shared.Rent(64);
            _all[0] = _first;
        }
        else if (_all.Length == Count)
        {
            var larger = ArrayPool<Outgoing>.Shared.Rent(Count * 2);
            _all.AsSpan(0, Count).CopyTo(larger);
            Free();
            _all = larger;
        }

        _all[Count++] = message;
    }

    /// <summary>Moves the bytes of every message.</summary>
    public void Move(SegmentStore store)
    {
        if (_all is null)
            store.Move(ref _first);
        for (var index = 0; _all is not null && index < Count; index++)
            store.Move(ref _all[index]);
    }

    /// <summary>Returns the memory of a batch.</summary>
    public readonly void Free()
    {
        if (_all is null)
            return;
        _all.AsSpan(0, Count).Clear();
        ArrayPool<Outgoing>.Shared.Return(_all);
    }
}
