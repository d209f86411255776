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
    private readonly RoomGate _room = new(maxBytes);
    private readonly RoomGate _refusedRoom = new(maxBytes);
    private TaskCompletionSource? _directAdded;
    private long _bytes;
    private long _refusedBytes;
    private int _refusedCount;
    private int _directCount;
    private bool _isOpen;
    private bool _isBlocked;
    private bool _isSealed;

    /// <summary>The number of messages that are not completed.</summary>
    public long Count
    {
        get
        {
            lock (_gate)
                return _ring.Count + _inFlight + _refusedCount;
        }
    }

    /// <summary>The number of messages that were lost with their connection.</summary>
    public long Dropped { get; private set; }

    /// <summary>Adds a message.</summary>
    /// <param name="message">The message, which is copied.</param>
    /// <param name="key">The topic, or the recipient of a request or reply.</param>
    /// <param name="kind">The purpose of the message.</param>
    /// <param name="isSecret">Whether copies of the message are zeroed.</param>
    /// <param name="expiration">The time after which the broker may drop the message, in milliseconds, in the format of AMQP.</param>
    /// <param name="confirmation">Called when the message is confirmed or lost, if the queue accepts the message.</param>
    public SendStatus TryAdd(ReadOnlySpan<byte> message, string key, OutgoingKind kind, bool isSecret, string? expiration = null, IConfirmation? confirmation = null)
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
            var most = kind == OutgoingKind.Answer ? 2L * maxBytes : maxBytes;
            if (_bytes > 0 && (_bytes + size > most || _bytes + _refusedBytes + size > 2L * maxBytes))
                return SendStatus.Full;
            if (topic?.Refused is not null && _refusedBytes > 0 && _refusedBytes + size > maxBytes)
                return SendStatus.Full;

            var segment = SegmentFor(message.Length);
            _ring.AddLast() = new Outgoing
            {
                Segment = segment,
                Message = segment.Add(message, isSecret),
                Key = key,
                Topic = topic,
                Kind = kind,
                IsSecret = isSecret,
                Expiration = expiration,
                Number = topic is null ? 0 : ++topic.LastNumber,
                Epoch = _flushes.Add(),
                Confirmation = confirmation,
                Activity = Activity.Current,
            };
            _bytes += size;
            if (topic is null)
                NoteDirect();
            else
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
            var size = length + Overhead;
            if (_isSealed)
                return Task.CompletedTask;
            if (key is not null && _topics.Get(key).Refused is not null && !_refusedRoom.HasRoom(_refusedBytes, size))
                return _refusedRoom.WaitAsync(size);
            return !_isBlocked && _room.HasRoom(Filled, size) ? Task.CompletedTask : _room.WaitAsync(size);
        }
    }

    /// <summary>Completes when there may be a message to take. Used by the publishing loop.</summary>
    public ValueTask WaitForWorkAsync() => _work.WaitAsync();

    /// <summary>Completes when a request or a reply waits. Such a message does not wait for a batch. Used by the publishing loop.</summary>
    public Task WaitForDirectAsync()
    {
        lock (_gate)
            return _directCount > 0 ? Task.CompletedTask : (_directAdded ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }

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
            if (HeldBytes > _compactAbove)
                Compact();
            if (_isBlocked || !_isOpen || _unconfirmed.Count >= MaxUnconfirmed || _isSuspectOut || !TryTakeNext(out var head))
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

            publication = new Publication(body, BeginConfirm(in flight), flight.Count, head);
            return true;
        }
    }

    /// <summary>Returns whether the waiting messages fill a batch of this size.</summary>
    public bool HasFullBatch(int batchBytes)
    {
        lock (_gate)
            return _bytes - (long)(_ring.Count + _inFlight) * Overhead >= batchBytes;
    }

    /// <summary>The bytes that count against the limit: messages that wait or are unconfirmed, and refused messages beyond their own limit.</summary>
    private long Filled => _bytes == 0 ? 0 : Math.Max(_bytes, _bytes + _refusedBytes - maxBytes);

    /// <summary>Takes the next message that may be sent. Messages of refused topics are kept or dropped.</summary>
    private bool TryTakeNext(out Outgoing next)
    {
        while (_ring.Count > 0)
        {
            next = _ring.RemoveFirst();
            if (next.Topic is null)
                _directCount--;
            var isSuspect = _suspects > 0;
            if (isSuspect)
                _suspects--;
            if (next.Topic is { } topic && topic.Refusal is { } reason)
            {
                PutAside(in next, reason);
            }
            else if (next.Topic?.Holds(in next) == true)
            {
                Keep(in next);
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
            && next.IsRepeated == head.IsRepeated
            && next.IsReleased == head.IsReleased
            && size + next.Message.Length + 2 * UVarint.MaxSize <= batchBytes;
    }

    private void NoteDirect()
    {
        _directCount++;
        _directAdded?.SetResult();
        _directAdded = null;
    }

    private void WakeWaiting()
    {
        _room.Wake();
        _refusedRoom.Wake();
    }
}
