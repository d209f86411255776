using System;
using System.Diagnostics;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The packed messages to publish, in order. With confirms, a message stays in the queue until the broker has confirmed it.</summary>
/// <remarks>Any thread may add messages. Only one thread at a time takes messages.</remarks>
/// <param name="maxBytes">The size above which the queue is full. An empty queue accepts any message. Refused messages may use the same size in addition.</param>
/// <param name="confirms">Whether messages stay until they are confirmed, even if a connection is lost. If <c>false</c>, the waiting messages are lost with the connection.</param>
internal sealed partial class PublishQueue(int maxBytes, bool confirms)
{
    /// <summary>The overhead of a message in the size of the queue. It bounds the number of messages too: 16,384 messages in 4 MiB.</summary>
    public const int Overhead = 256;

    /// <summary>The number of topics that are introduced in a second. The first messages of further topics are published like others, because each introduction delays all topics.</summary>
    private const int MaxIntroductions = 32;

    private readonly object _gate = new();
    private readonly WorkSignal _work = new();
    private readonly PendingMessages _pending = new(maxBytes);
    private readonly Refusals _refusals = new();
    private readonly EarlierChannels _earlier = new();
    private bool _isOpen;
    private volatile bool _isBlocked;
    private bool _isSealed;
    private long _confirmed;
    private long _dropped;
    private long _resent;
    private long _listeningSince; // the time since which the broker can confirm
    private long _introducingSince;
    private int _introductions;

    /// <summary>Two topics whose last messages found no room. One of them is not that of the oldest publication.</summary>
    private (TopicState? First, TopicState? Second) _waitForRoom;

    /// <summary>The counters of the queue at one moment.</summary>
    public PublishCounts Counts
    {
        get
        {
            lock (_gate)
                return new PublishCounts(_pending.Count, _pending.HeldBytes, _confirmed, _dropped, _resent, _refusals.Rejected, _refusals.Dropped, _refusals.Stalled + _earlier.Stalled);
        }
    }

    /// <summary>Whether the broker accepts no messages.</summary>
    public bool IsBlocked => _isBlocked;

    /// <summary>The publications of the current channel.</summary>
    public UnconfirmedFlights Flights
    {
        get
        {
            lock (_gate)
                return _pending.Flights;
        }
    }

    /// <summary>Returns whether an unconfirmed message was sent over the current channel before a time, in milliseconds.</summary>
    public bool IsUnconfirmedSince(long time)
    {
        lock (_gate)
            return _pending.Flights.TryGetOldest(out var oldest) && oldest.SentAt <= time;
    }

    /// <summary>Adds a message.</summary>
    /// <param name="message">The message, which is copied.</param>
    /// <param name="key">The topic, or the recipient of a request or reply.</param>
    /// <param name="kind">The purpose of the message.</param>
    /// <param name="isSecret">Whether copies of the message are zeroed.</param>
    /// <param name="expiration">The time after which the broker may drop the message, in milliseconds, in the format of AMQP.</param>
    /// <param name="handled">The delivery that waits until the message is confirmed or lost, if the queue accepts the message.</param>
    /// <param name="options">The id and the key of an event.</param>
    public SendStatus TryAdd(ReadOnlySpan<byte> message, string key, OutgoingKind kind, bool isSecret, string? expiration = null, Delivery? handled = null, in PublishOptions options = default)
    {
        var slot = options.Key is { } hashed ? PartitionSlot.Of(hashed) : 0; // the hash of a key needs no lock
        lock (_gate)
        {
            if (_isSealed || (!confirms && !_isOpen))
                return SendStatus.Closed;
            // Replies are accepted during an alarm and may use twice the room, because the requester waits for them.
            if (kind != OutgoingKind.Answer && _isBlocked)
                return SendStatus.Full;
            var topic = kind == OutgoingKind.Event ? _refusals.GetTopic(key) : null;
            if (!_pending.Room.Accepts(message.Length + Overhead, isReply: kind == OutgoingKind.Answer, isAfterRefused: topic?.UsesRefusedRoom == true))
            {
                if (topic is not null && _waitForRoom.First != topic)
                    _waitForRoom = (topic, _waitForRoom.First);
                return SendStatus.Full;
            }

            ref var added = ref _pending.Add(message, isSecret);
            added.Key = key;
            added.Kind = kind;
            added.Expiration = expiration;
            added.Handled = handled;
            added.Slot = slot;
            added.Id = options.MessageId;
            added.Activity = Activity.Current;
            if (topic is not null)
            {
                added.Topic = topic;
                added.Number = ++topic.LastNumber;
                topic.Open++;
                if (_waitForRoom.First == topic)
                    _waitForRoom = (_waitForRoom.Second, null);
                else if (_waitForRoom.Second == topic)
                    _waitForRoom.Second = null;
            }
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
            return _isSealed
                ? Task.CompletedTask
                : _pending.Room.WaitAsync(length + Overhead, _isBlocked, isAfterRefused: key is not null && _refusals.GetTopic(key).UsesRefusedRoom);
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
            _pending.Compact(_refusals, _earlier);
            if (_isBlocked || !_isOpen || !_refusals.Permits || !TryTakeNext(out var head))
                return false;
            publication = _pending.Publish(in head, _refusals.IsSuspectOut ? null : batch, batchBytes);
            if (confirms && head.Topic!.KnownOn != _pending.Flights.Channel && MayIntroduce())
                _pending.Flights.Introduce(head.Topic);
            return true;
        }
    }

    /// <summary>Returns whether the waiting messages fill a batch of this size.</summary>
    public bool HasFullBatch(int batchBytes)
    {
        lock (_gate)
            return _pending.Bytes >= batchBytes;
    }

    /// <summary>Opens the queue for a new connection. Unconfirmed messages of the previous connection are sent again, marked.</summary>
    public void Open()
    {
        lock (_gate)
        {
            var isSuspicious = _refusals.Reopen();
            var again = SendAgain(_pending.Flights, isSuspicious);
            foreach (var earlier in _earlier.Channels)
                again += SendAgain(earlier, isSuspicious);
            if (isSuspicious)
                _refusals.Suspect(again);
            (_isOpen, _isBlocked, _listeningSince) = (true, false, Environment.TickCount64);
            _pending.Room.Wake();
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
            _pending.Room.Wake();
        }

        _work.Set();
    }

    /// <summary>Records whether the broker accepts messages.</summary>
    public void Block(bool isBlocked)
    {
        lock (_gate)
        {
            _isBlocked = isBlocked;
            _listeningSince = Environment.TickCount64;
            if (!isBlocked)
                _pending.Room.Wake();
        }

        _work.Set();
    }

    /// <summary>Makes the queue refuse all further messages.</summary>
    public void Seal()
    {
        lock (_gate)
        {
            _isSealed = true;
            _pending.Room.Wake();
        }
    }

    /// <summary>Returns all memory. Called when no publisher uses the queue any more. With confirms, a flush that waits for a discarded message fails.</summary>
    public void Dispose()
    {
        Seal();
        lock (_gate)
        {
            if (confirms)
                _pending.Flushes.FailAll(new ObjectDisposedException("RabbitHost", $"The host was disposed while {_pending.Count} messages were not confirmed. Await the flush before you dispose the host."));
            _refusals.OfferAll();
            AddOffered();
            foreach (var earlier in _earlier.Channels)
            {
                foreach (var flight in earlier.RemoveAll())
                {
                    _earlier.End(flight.Messages, _pending);
                    EndUnconfirmed(in flight);
                }
            }

            DropWaiting();
            foreach (var flight in _pending.Flights.RemoveAll())
                EndUnconfirmed(in flight);
            _pending.Retire();
        }
    }

    /// <summary>Records that the broker accepted or refused a publication. A refused publication is sent again later.</summary>
    /// <param name="channel">The publications of the channel.</param>
    /// <param name="flight">The number of the publication.</param>
    /// <param name="multiple">Whether the reply applies to all previous publications too.</param>
    /// <param name="isTaken">Whether the broker accepted the publication.</param>
    /// <returns>Whether the queue has left the channel and needs it no longer.</returns>
    public bool Confirm(UnconfirmedFlights channel, ulong flight, bool multiple, bool isTaken)
    {
        bool isOver;
        lock (_gate)
        {
            Flight completed;
            if (!multiple && channel.TryRemove(flight, out completed))
                CompleteConfirm(channel, in completed, isTaken);
            while (multiple && channel.TryRemoveUpTo(flight, out completed))
                CompleteConfirm(channel, in completed, isTaken);
            isOver = _earlier.TryRemove(channel);
        }

        _work.Set();
        return isOver;
    }

    /// <summary>Completes a publication without a confirm. It was sent, or lost on the way; the host cannot know.</summary>
    public void Finish(in Publication publication)
    {
        lock (_gate)
        {
            if (_pending.Flights.TryRemove(publication.Flight, out var flight))
                CompleteConfirm(_pending.Flights, in flight, isTaken: true);
        }
    }

    /// <summary>Offers refused messages again if they are due.</summary>
    /// <param name="now">The time, in milliseconds.</param>
    /// <returns>The time of the next call; <see cref="long.MaxValue"/> for after the next reply of the broker.</returns>
    public long Retry(long now)
    {
        lock (_gate)
        {
            var next = _refusals.Retry(now, out var hasEnded);
            AddOffered();
            if (hasEnded)
                _pending.Room.WakeAfterRefused();
            return next;
        }
    }

    /// <summary>Completes when all messages added so far are sent; with confirms, when the broker has confirmed them.</summary>
    public Task FlushAsync()
    {
        lock (_gate)
            return _pending.Flushes.BeginAsync();
    }

    /// <summary>Returns the next event for the application.</summary>
    public bool TryTakeNotice(out PublishNotice notice)
    {
        lock (_gate)
            return _refusals.TryTakeNotice(out notice);
    }

    /// <summary>Raises the events for the application.</summary>
    public void ReportNotices(HostReports reports)
    {
        while (TryTakeNotice(out var notice))
        {
            var (topic, number, waiting, reason) = notice;
            if (reason is null)
                reports.ReportStalled(new StalledTopic(topic, waiting));
            else
                reports.ReportRefused(new RefusedPublication(topic, number, reason));
        }
    }

    /// <summary>Returns whether another topic may be introduced in this second.</summary>
    private bool MayIntroduce()
    {
        var now = Environment.TickCount64;
        if (now - _introducingSince >= 1000)
            (_introducingSince, _introductions) = (now, 0);
        return ++_introductions <= MaxIntroductions;
    }

    /// <summary>Takes the next message that may be sent. Messages of refused topics are kept or dropped.</summary>
    private bool TryTakeNext(out Outgoing next)
    {
        next = default;
        while (_pending.IsNextAccepted && _pending.TryTakeFirst(out next))
        {
            switch (_refusals.Judge(in next))
            {
                case Verdict.Send:
                    return true;
                case Verdict.Hold:
                    _pending.Room.Refuse(next.Size);
                    break;
                default:
                    Drop(in next, next.Topic!.Refusal!);
                    break;
            }
        }

        return false;
    }

    private void CompleteConfirm(UnconfirmedFlights channel, in Flight flight, bool isTaken)
    {
        channel.NoteReply(flight.Messages[0].Topic);
        if (channel == _pending.Flights)
            _refusals.EndSuspect();
        else
            _earlier.End(flight.Messages, _pending);
        if (isTaken)
        {
            _confirmed += flight.Count;
            End(in flight, isConfirmed: true);
            return;
        }

        foreach (ref readonly var message in flight.Messages)
        {
            _pending.Room.Refuse(message.Size);
            _refusals.Refuse(in message);
        }

        flight.Free();
        _pending.Room.WakeIfRoom();
    }

    /// <summary>Completes the messages of a flight that was removed.</summary>
    private void End(in Flight flight, bool isConfirmed)
    {
        foreach (ref readonly var message in flight.Messages)
            End(in message, isConfirmed);
        flight.Free();
        _pending.Room.WakeIfRoom();
    }

    /// <summary>Ends a flight with the host. With confirms, its messages count as lost: the broker may have them, and has not said so.</summary>
    private void EndUnconfirmed(in Flight flight)
    {
        if (confirms)
            _dropped += flight.Count;
        End(in flight, isConfirmed: false);
    }

    private void End(in Outgoing message, bool isConfirmed)
    {
        Refusals.End(in message, isConfirmed);
        _pending.End(in message, isConfirmed);
    }

    /// <summary>Drops a message that was taken, because the broker refuses it permanently.</summary>
    private void Drop(in Outgoing message, string reason)
    {
        _pending.Flushes.Fail(message.Epoch!, _refusals.Drop(in message, reason));
        End(in message, isConfirmed: false);
        _pending.Room.WakeIfRoom();
    }

    private void DropWaiting()
    {
        while (_pending.TryTakeFirst(out var message))
        {
            _dropped++;
            End(in message, isConfirmed: false);
        }

        _pending.Room.WakeIfRoom();
    }

    /// <summary>Adds the refused messages that are offered again.</summary>
    private void AddOffered()
    {
        while (_refusals.TryTakeOffered(out var message))
            _pending.Offer(in message);
    }
}

/// <summary>The counters of a <see cref="PublishQueue"/>.</summary>
/// <param name="Pending">The number of messages that are not completed.</param>
/// <param name="HeldBytes">The memory for these messages, including unused space, in bytes.</param>
/// <param name="Confirmed">The number of messages that the broker confirmed; without confirms, of messages that were sent.</param>
/// <param name="Dropped">The number of messages that were lost with their connection; with confirms, of those that were not confirmed at the end.</param>
/// <param name="Resent">The number of messages that are sent again because their result is unknown.</param>
/// <param name="Rejected">The number of messages that the broker refused because a queue was full.</param>
/// <param name="Refused">The number of messages that the broker refused permanently.</param>
/// <param name="Stalled">The number of topics whose messages a full queue has refused for several rounds, or the broker does not confirm.</param>
internal readonly record struct PublishCounts(long Pending, long HeldBytes, long Confirmed, long Dropped, long Resent, long Rejected, long Refused, int Stalled);
