using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>The replies of the broker to messages, and the begin and end of connections.</content>
internal sealed partial class PublishQueue
{
    /// <summary>The publications that are sent but not confirmed, by the number that the broker uses.</summary>
    private readonly Dictionary<ulong, Flight> _unconfirmed = [];

    private int _inFlight;
    private ulong _lastFlight;
    private ulong _oldestFlight = 1;

    /// <summary>The number of messages that are sent again because their result is unknown.</summary>
    public long Resent { get; private set; }

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
            (_isOpen, _isBlocked) = (true, false);
            WakeWaiting();
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
            WakeWaiting();
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
                WakeWaiting();
        }

        _work.Set();
    }

    /// <summary>Makes the queue refuse all further messages.</summary>
    public void Seal()
    {
        lock (_gate)
        {
            _isSealed = true;
            WakeWaiting();
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
                var open = _ring.Count + _inFlight + _refusedCount;
                _flushes.FailAll(new ObjectDisposedException(nameof(RabbitHost), $"The host was disposed while {open} messages were not confirmed. Await the flush before you dispose the host."));
            }

            DropWaiting();
            DropRefused();
            foreach (var (_, flight) in _unconfirmed)
                End(in flight, isConfirmed: false);
            _unconfirmed.Clear();
            Retire();
        }
    }

    /// <summary>Records that the broker accepted or refused a publication. A refused publication is sent again later.</summary>
    /// <param name="flight">The number of the publication.</param>
    /// <param name="multiple">Whether the reply applies to all previous publications too.</param>
    /// <param name="isTaken">Whether the broker accepted the publication.</param>
    public void Confirm(ulong flight, bool multiple, bool isTaken)
    {
        lock (_gate)
        {
            if (!multiple)
                CompleteConfirm(flight, isTaken);
            for (; multiple && _oldestFlight <= Math.Min(flight, _lastFlight); _oldestFlight++)
                CompleteConfirm(_oldestFlight, isTaken);
        }

        _work.Set();
    }

    /// <summary>Completes a publication without a confirm. It was sent, or lost on the way; the host cannot know.</summary>
    public void Finish(in Publication publication)
    {
        lock (_gate)
            CompleteConfirm(publication.Flight, isTaken: true);
    }

    /// <summary>Completes when all messages added so far are sent; with confirms, when the broker has confirmed them.</summary>
    public Task FlushAsync()
    {
        lock (_gate)
            return _flushes.BeginAsync();
    }

    private ulong BeginConfirm(in Flight flight)
    {
        _inFlight += flight.Count;
        _unconfirmed.Add(++_lastFlight, flight);
        return _lastFlight;
    }

    private void CompleteConfirm(ulong number, bool isTaken)
    {
        if (!_unconfirmed.Remove(number, out var flight))
            return;
        _isSuspectOut = false;
        if (isTaken)
            End(in flight, isConfirmed: true);
        else
            Refuse(in flight);
    }

    /// <summary>Completes the messages of a flight that was removed.</summary>
    private void End(in Flight flight, bool isConfirmed)
    {
        _inFlight -= flight.Count;
        for (var index = 0; index < flight.Count; index++)
        {
            var message = flight.Get(index);
            if (message.IsReleased)
                message.Topic!.Refused!.Remove(isConfirmed);
            _bytes -= message.Size;
            EndMessage(in message, isConfirmed);
        }

        flight.Free();
        _room.WakeIfRoom(Filled);
    }

    /// <summary>Moves the unconfirmed messages back to the front, in order. The numbers of publications restart.</summary>
    /// <returns>The number of messages.</returns>
    private int SendAgain()
    {
        var before = _ring.Count;
        for (var number = _lastFlight; number > 0 && _unconfirmed.Count > 0; number--)
        {
            if (!_unconfirmed.Remove(number, out var flight))
                continue;
            _inFlight -= flight.Count;
            for (var index = flight.Count - 1; index >= 0; index--)
            {
                var message = flight.Get(index);
                message.IsRepeated = true;
                Resent++;
                if (message.IsReleased)
                {
                    Keep(in message);
                    message.Topic!.Refused!.TakeBack(message);
                }
                else
                {
                    _ring.AddFirst(in message);
                }
            }

            flight.Free();
        }

        (_lastFlight, _oldestFlight, _isSuspectOut) = (0, 1, false);
        return _ring.Count - before;
    }

    private void DropWaiting()
    {
        while (_ring.Count > 0)
        {
            var message = _ring.RemoveFirst();
            if (message.Topic is null)
                _directCount--;
            if (message.IsReleased)
                message.Topic!.Refused!.Remove(isConfirmed: false);
            _bytes -= message.Size;
            Dropped++;
            EndMessage(in message, isConfirmed: false);
        }

        _room.WakeIfRoom(Filled);
    }

    /// <summary>Completes a message and returns its buffer.</summary>
    private void EndMessage(in Outgoing message, bool isConfirmed)
    {
        Release(message.Segment);
        if (message.Topic is { } topic)
            topic.Open--;
        message.Confirmation?.Complete(isConfirmed);
        _flushes.Remove(message.Epoch!);
    }
}
