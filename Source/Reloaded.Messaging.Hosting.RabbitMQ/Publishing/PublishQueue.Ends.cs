using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>What the broker says of messages, and how connections begin and end.</content>
internal sealed partial class PublishQueue
{
    /// <summary>What is out and not confirmed, by the number that the broker has for it.</summary>
    private readonly Dictionary<ulong, Flight> _unconfirmed = [];

    private int _inFlight;
    private ulong _lastFlight;
    private ulong _oldestFlight = 1;

    /// <summary>Messages that are sent again because nobody knew what became of them.</summary>
    public long Resent { get; private set; }

    /// <summary>A new connection can be published to: what was out on the last one is to be sent again, with a mark.</summary>
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

    /// <summary>The connection is lost. Without confirms, so is what waits.</summary>
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

    /// <summary>The broker takes no messages, or does again.</summary>
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

    /// <summary>Takes nothing more.</summary>
    public void Seal()
    {
        lock (_gate)
        {
            _isSealed = true;
            WakeWaiting();
        }
    }

    /// <summary>Gives back what it has. When nobody takes from it any more. With confirms, a flush that waits for what is thrown away fails.</summary>
    public void Dispose()
    {
        Seal();
        lock (_gate)
        {
            if (confirms)
            {
                var open = _ring.Count + _inFlight + _refusedCount;
                _flushes.FailAll(new ObjectDisposedException(nameof(RabbitHost), $"The host was disposed with {open} messages unconfirmed: await the flush before disposing it."));
            }

            DropWaiting();
            DropRefused();
            foreach (var (_, flight) in _unconfirmed)
                End(in flight, isConfirmed: false);
            _unconfirmed.Clear();
            Retire();
        }
    }

    /// <summary>The broker has a publication, or wants it again later.</summary>
    /// <param name="flight">Its number.</param>
    /// <param name="multiple">Whether that goes for all before it too.</param>
    /// <param name="isTaken">Whether the broker has it.</param>
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

    /// <summary>A publication without a confirm is out, or was lost on its way: nobody here can know.</summary>
    public void Finish(in Publication publication)
    {
        lock (_gate)
            CompleteConfirm(publication.Flight, isTaken: true);
    }

    /// <summary>Completes when everything added so far is out; with confirms, when the broker has it.</summary>
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

    /// <summary>Ends the messages of a flight that was taken out.</summary>
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

    /// <summary>Puts the unconfirmed messages back in front, in order. The numbers of publications begin anew.</summary>
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

    /// <summary>Nothing is left to do for a message, and its buffer is given back.</summary>
    private void EndMessage(in Outgoing message, bool isConfirmed)
    {
        Release(message.Segment);
        if (message.Topic is { } topic)
            topic.Open--;
        message.Confirmation?.Complete(isConfirmed);
        _flushes.Remove(message.Epoch!);
    }
}
