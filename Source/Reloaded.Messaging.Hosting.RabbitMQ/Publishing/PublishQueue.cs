using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Packed messages that are to be published, in order; with confirms, until the broker has said of each that it has it.</summary>
/// <remarks>
/// A message waits in the ring, is in a flight while it is published and not confirmed, and waits with its topic while a full queue refuses it.
/// Any thread adds, one at a time takes.
/// </remarks>
/// <param name="maxBytes">Past so many it is full. An empty queue takes any message. Refused messages may take as much again.</param>
/// <param name="confirms">Whether messages stay until they are confirmed, over lost connections too. Otherwise those that wait when a connection is lost are lost with it.</param>
internal sealed partial class PublishQueue(int maxBytes, bool confirms)
{
    /// <summary>What a message counts here besides its bytes, so that places are bounded too: 16,384 of them in 4 MiB.</summary>
    public const int Overhead = 256;

    /// <summary>Publications on their way at once. What a broker says no to is sent again, and shall not be all that waits.</summary>
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

    /// <summary>Messages that are not done.</summary>
    public long Count
    {
        get
        {
            lock (_gate)
                return _ring.Count + _inFlight + _refusedCount;
        }
    }

    /// <summary>Messages that were lost with their connection.</summary>
    public long Dropped { get; private set; }

    /// <summary>Takes a message.</summary>
    /// <param name="message">The message; copied.</param>
    /// <param name="key">The topic, or whom it is for.</param>
    /// <param name="kind">What it is for.</param>
    /// <param name="isSecret">Whether to zero copies of it.</param>
    /// <param name="expiration">When the broker may drop it, in milliseconds, as AMQP wants it.</param>
    /// <param name="confirmation">Is told when the message is confirmed or lost, if it is taken.</param>
    public SendStatus TryAdd(ReadOnlySpan<byte> message, string key, OutgoingKind kind, bool isSecret, string? expiration = null, IConfirmation? confirmation = null)
    {
        lock (_gate)
        {
            if (_isSealed || (!confirms && !_isOpen))
                return SendStatus.Closed;
            // Answers are not stopped by an alarm and may take twice the room: who asked waits for them.
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

    /// <summary>Completes when there is room for a message of that length, which others may take first.</summary>
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

    /// <summary>Completes when there may be something to take. For the one who takes.</summary>
    public ValueTask WaitForWorkAsync() => _work.WaitAsync();

    /// <summary>Completes when a request or an answer waits: a message that no batch holds up. For the one who takes.</summary>
    public Task WaitForDirectAsync()
    {
        lock (_gate)
            return _directCount > 0 ? Task.CompletedTask : (_directAdded ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }

    /// <summary>Has the one who takes look again.</summary>
    public void Wake() => _work.Set();

    /// <summary>Takes what is to be published next.</summary>
    /// <param name="batch">Where to put several messages together, with room for <paramref name="batchBytes"/>; null to take one at a time.</param>
    /// <param name="batchBytes">How much may be put together.</param>
    /// <param name="publication">What to publish.</param>
    /// <returns>False when there is nothing, or the broker wants nothing.</returns>
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

    /// <summary>Whether so much waits that a batch of this size would be full.</summary>
    public bool HasFullBatch(int batchBytes)
    {
        lock (_gate)
            return _bytes - (long)(_ring.Count + _inFlight) * Overhead >= batchBytes;
    }

    /// <summary>The bytes that count against the bound: messages that wait or are unconfirmed, and refused messages beyond their own bound.</summary>
    private long Filled => _bytes == 0 ? 0 : Math.Max(_bytes, _bytes + _refusedBytes - maxBytes);

    /// <summary>Takes the next message that may go out. Messages of refused topics are held or put aside.</summary>
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
