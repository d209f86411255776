using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The packed messages to publish, in order. With confirms, a message stays in the queue until the broker has confirmed it.</summary>
/// <remarks>
/// A message waits in the ring, is in a flight while it is published and not confirmed, and waits with its topic while a full queue refuses it.
/// Any thread may add messages. Only one thread at a time takes messages.
/// </remarks>
/// <param name="maxBytes">The size above which the queue is full. An empty queue accepts any message. Refused messages may use the same size in addition.</param>
/// <param name="confirms">Whether messages stay until they are confirmed, even if a connection is lost. If <c>false</c>, the waiting messages are lost with the connection.</param>
internal sealed partial class PublishQueue(int maxBytes, bool confirms)
{
    /// <summary>The overhead of a message in the size of the queue. It bounds the number of messages too: 16,384 messages in 4 MiB.</summary>
    public const int Overhead = 256;

    /// <summary>The maximum number of unconfirmed publications. A refused publication is sent again, so not all waiting messages should be in flight.</summary>
    private const int MaxUnconfirmed = 1024;

    private readonly object _gate = new();
    private readonly WorkSignal _work = new();
    private readonly OutgoingRing _ring = new();
    private readonly TopicTable _topics = new();
    private readonly Flushes _flushes = new();
    private readonly SegmentStore _segments = new(maxBytes);
    private readonly UnconfirmedFlights _unconfirmed = new();
    private readonly PublishRoom _room = new(maxBytes);
    private bool _isOpen;
    private bool _isBlocked;
    private bool _isSealed;

    /// <summary>The number of messages that are not completed.</summary>
    public long Count
    {
        get
        {
            lock (_gate)
                return _ring.Count + _unconfirmed.Messages + _room.RefusedCount;
        }
    }

    /// <summary>Returns whether an unconfirmed message was sent before a time, in milliseconds.</summary>
    public bool IsUnconfirmedSince(long time)
    {
        lock (_gate)
            return _unconfirmed.OldestSentAt() <= time;
    }

    /// <summary>Whether the broker accepts no messages.</summary>
    public bool IsBlocked
    {
        get
        {
            lock (_gate)
                return _isBlocked;
        }
    }

    /// <summary>The number of messages that were lost with their connection.</summary>
    public long Dropped { get; private set; }

    /// <summary>The number of messages that are sent again because their result is unknown.</summary>
    public long Resent { get; private set; }

    /// <summary>The number of messages that the broker confirmed; without confirms, of messages that were sent.</summary>
    public long Confirmed { get; private set; }

    /// <summary>The memory for the messages, including unused space, in bytes.</summary>
    public long HeldBytes => _segments.HeldBytes;

    /// <summary>Adds a message.</summary>
    /// <param name="message">The message, which is copied.</param>
    /// <param name="key">The topic, or the recipient of a request or reply.</param>
    /// <param name="kind">The purpose of the message.</param>
    /// <param name="isSecret">Whether copies of the message are zeroed.</param>
    /// <param name="expiration">The time after which the broker may drop the message, in milliseconds, in the format of AMQP.</param>
    /// <param name="handled">The delivery that waits until the message is confirmed or lost, if the queue accepts the message.</param>
    /// <param name="slot">The slot of the key; 0 without a key.</param>
    public SendStatus TryAdd(ReadOnlySpan<byte> message, string key, OutgoingKind kind, bool isSecret, string? expiration = null, Delivery? handled = null, int slot = 0)
    {
        lock (_gate)
        {
            if (_isSealed || (!confirms && !_isOpen))
                return SendStatus.Closed;
            // Replies are accepted during an alarm and may use twice the room, because the requester waits for them.
            if (kind != OutgoingKind.Answer && _isBlocked)
                return SendStatus.Full;
            var topic = kind == OutgoingKind.Event ? _topics.Get(key) : null;
            var size = message.Length + Overhead;
            if (!_room.Accepts(size, isReply: kind == OutgoingKind.Answer, isAfterRefused: topic?.Refused is not null))
                return SendStatus.Full;

            ref var added = ref _ring.AddLast();
            added = new Outgoing
            {
                Key = key,
                Topic = topic,
                Kind = kind,
                IsSecret = isSecret,
                Expiration = expiration,
                Number = topic is null ? 0 : ++topic.LastNumber,
                Epoch = _flushes.Add(),
                Handled = handled,
                Slot = slot,
                Activity = Activity.Current,
            };
            _segments.Add(ref added, message);
            _room.Add(size);
            if (topic is not null)
                topic.Open++;
        }

        _work.Set();
        return SendStatus.Sent;
    }

    /// <summary>Completes when there is room for a message of a length. Another caller may use the room first.</summary>
    /// <param name="length">The length.</param>
    /// <param name="key">The topic, if the message is an event.</param>
    public Task WaitForRoomAsync(int length, string? key = null)
    {
        lock (_gate)
        {
            return _isSealed ? Task.CompletedTask : _room.WaitAsync(length + Overhead, _isBlocked, isAfterRefused: key is not null && _topics.Get(key).Refused is not null);
        }
    }

    /// <summary>Completes when there may be a message to take. Used by the publishing loop.</summary>
    public ValueTask WaitForWorkAsync() => _work.WaitAsync();

    /// <summary>Makes the publishing loop check the queue again.</summary>
    public void Wake() => _work.Set();

    /// <summary>Takes the next publication.</summary>
    /// <param name="batch">The buffer for a batch, with room for <paramref name="batchBytes"/>; <c>null</c> to take one message.</param>
    /// <param name="batchBytes">The maximum size of a batch, in bytes.</param>
    /// <param name="publication">The publication.</param>
    /// <returns><c>false</c> if there is no message or the broker accepts no messages; otherwise, <c>true</c>.</returns>
    public bool TryTake(MessageBatch? batch, int batchBytes, out Publication publication)
    {
        lock (_gate)
        {
            publication = default;
            if (_segments.NeedsCompaction)
                Compact();
            if (_isBlocked || !_isOpen || _wantsChannel || _unconfirmed.Count >= MaxUnconfirmed || _isSuspectOut || !TryTakeNext(out var head))
                return false;

            var flight = new Flight(in head);
            ReadOnlyMemory<byte> body = head.Message;
            if (batch is not null && !_isSuspectOut && Follows(in head, 1, head.Message.Length, batchBytes))
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

            publication = new Publication(body, _unconfirmed.Add(in flight), flight.Count, head);
            return true;
        }
    }

    /// <summary>Returns whether the waiting messages fill a batch of this size.</summary>
    public bool HasFullBatch(int batchBytes)
    {
        lock (_gate)
            return _room.Used - (long)(_ring.Count + _unconfirmed.Messages) * Overhead >= batchBytes;
    }

    /// <summary>Opens the queue for a new connection. Unconfirmed messages of the previous connection are sent again, marked.</summary>
    public void Open()
    {
        lock (_gate)
        {
            AllowTopics();
            var isSuspicious = _suspects > 0 || _isSuspectOut;
            var again = SendAgain();
            if (isSuspicious)
                _suspects += again;
            (_isOpen, _isBlocked, _wantsChannel) = (true, false, false);
            _room.Wake();
        }

        _work.Set();
    }

    /// <summary>Closes the queue because the connection is lost. Without confirms, the waiting messages are lost too.</summary>
    public void Close()
    {
        lock (_gate)
        {
            _isOpen = _isBlocked = false;
            if (!confirms)
                DropWaiting();
            _room.Wake();
        }

        _work.Set();
    }

    /// <summary>Records whether the broker accepts messages.</summary>
    public void Block(bool isBlocked)
    {
        lock (_gate)
        {
            _isBlocked = isBlocked;
            if (!isBlocked)
                _room.Wake();
        }

        _work.Set();
    }

    /// <summary>Makes the queue refuse all further messages.</summary>
    public void Seal()
    {
        lock (_gate)
        {
            _isSealed = true;
            _room.Wake();
        }
    }

    /// <summary>Returns all memory. Called when no publisher uses the queue any more. With confirms, a flush that waits for a discarded message fails.</summary>
    public void Dispose()
    {
        Seal();
        lock (_gate)
        {
            if (confirms)
            {
                var open = _ring.Count + _unconfirmed.Messages + _room.RefusedCount;
                _flushes.FailAll(new ObjectDisposedException("RabbitHost", $"The host was disposed while {open} messages were not confirmed. Await the flush before you dispose the host."));
            }

            DropWaiting();
            DropRefused();
            foreach (var flight in _unconfirmed.RemoveAll())
                End(in flight, isConfirmed: false);
            _segments.Retire();
        }
    }

    /// <summary>Records that the broker accepted or refused a publication. A refused publication is sent again later.</summary>
    /// <param name="flight">The number of the publication.</param>
    /// <param name="multiple">Whether the reply applies to all previous publications too.</param>
    /// <param name="isTaken">Whether the broker accepted the publication.</param>
    public void Confirm(ulong flight, bool multiple, bool isTaken)
    {
        long before, after;
        lock (_gate)
        {
            before = Confirmed;
            Flight completed;
            if (!multiple && _unconfirmed.TryRemove(flight, out completed))
                CompleteConfirm(in completed, isTaken);
            while (multiple && _unconfirmed.TryRemoveUpTo(flight, out completed))
                CompleteConfirm(in completed, isTaken);
            after = Confirmed;
        }

        if (after > before)
            RabbitMetrics.CountConfirmed(after - before);
        _work.Set();
    }

    /// <summary>Completes a publication without a confirm. It was sent, or lost on the way; the host cannot know.</summary>
    public void Finish(in Publication publication)
    {
        lock (_gate)
        {
            if (_unconfirmed.TryRemove(publication.Flight, out var flight))
                CompleteConfirm(in flight, isTaken: true);
        }
    }

    /// <summary>Completes when all messages added so far are sent; with confirms, when the broker has confirmed them.</summary>
    public Task FlushAsync()
    {
        lock (_gate)
            return _flushes.BeginAsync();
    }

    /// <summary>Takes the next message that may be sent. Messages of refused topics are kept or dropped.</summary>
    private bool TryTakeNext(out Outgoing next)
    {
        while (_ring.Count > 0)
        {
            next = _ring.RemoveFirst();
            var isSuspect = _suspects > 0;
            if (isSuspect)
                _suspects--;
            if (next.Topic is { } topic && topic.Refusal is { } reason)
            {
                PutAside(in next, reason);
            }
            else if (next.Topic?.Holds(in next) == true)
            {
                _room.Refuse(next.Size);
                next.Topic.Refused!.Hold(in next);
            }
            else
            {
                _isSuspectOut = isSuspect;
                return true;
            }
        }

        next = default;
        return false;
    }

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

    private void CompleteConfirm(in Flight flight, bool isTaken)
    {
        _isSuspectOut = false;
        if (isTaken)
        {
            Confirmed += flight.Count;
            End(in flight, isConfirmed: true);
        }
        else
        {
            Refuse(in flight);
        }
    }

    /// <summary>Completes the messages of a flight that was removed.</summary>
    private void End(in Flight flight, bool isConfirmed)
    {
        for (var index = 0; index < flight.Count; index++)
        {
            var message = flight.Get(index);
            if (message.IsReleased)
                message.Topic!.Refused!.Remove(isConfirmed);
            _room.Remove(message.Size);
            EndMessage(in message, isConfirmed);
        }

        flight.Free();
        _room.WakeIfRoom();
    }

    /// <summary>Moves the unconfirmed messages back to the front, in order. The numbers of publications restart.</summary>
    /// <returns>The number of messages.</returns>
    private int SendAgain()
    {
        var before = _ring.Count;
        foreach (var flight in _unconfirmed.RemoveAll())
        {
            for (var index = flight.Count - 1; index >= 0; index--)
            {
                var message = flight.Get(index);
                message.IsRepeated = true;
                Resent++;
                if (message.IsReleased)
                {
                    _room.Refuse(message.Size);
                    message.Topic!.Refused!.TakeBack(message);
                }
                else
                {
                    _ring.AddFirst(in message);
                }
            }

            flight.Free();
        }

        _isSuspectOut = false;
        return _ring.Count - before;
    }

    private void DropWaiting()
    {
        while (_ring.Count > 0)
        {
            var message = _ring.RemoveFirst();
            if (message.IsReleased)
                message.Topic!.Refused!.Remove(isConfirmed: false);
            _room.Remove(message.Size);
            Dropped++;
            EndMessage(in message, isConfirmed: false);
        }

        _room.WakeIfRoom();
    }

    /// <summary>Completes a message and returns its buffer.</summary>
    private void EndMessage(in Outgoing message, bool isConfirmed)
    {
        _segments.Release(message.Segment);
        if (message.Topic is { } topic)
            topic.Open--;
        message.Handled?.Complete(isConfirmed);
        _flushes.Remove(message.Epoch!);
    }

    /// <summary>Compacts the segments. Called only by the publishing loop, which reads no segment meanwhile.</summary>
    private void Compact()
    {
        _segments.Retire();
        for (var index = 0; index < _ring.Count; index++)
            _segments.Move(ref _ring[index]);
        _unconfirmed.MoveAll(_segments);
        foreach (var topic in _refusedTopics)
            topic.Refused!.Replace(MoveOne);
        _segments.EndCompaction();
    }

    private Outgoing MoveOne(Outgoing message)
    {
        _segments.Move(ref message);
        return message;
    }
}
