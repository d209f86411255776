using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ.Publishing;

/// <content>What the broker says of messages, and how connections begin and end.</content>
internal sealed partial class PublishQueue
{
    /// <summary>What is out and not confirmed, by the number that the broker has for it.</summary>
    private readonly Dictionary<ulong, (long First, int Count)> _flights = [];

    private readonly Queue<(long End, TaskCompletionSource Done)> _flushes = new();
    private ulong _lastFlight;
    private ulong _oldestFlight = 1;
    private bool _wasRejected;

    /// <summary>Messages that are sent again because nobody knew what became of them.</summary>
    public long Resent { get; private set; }

    /// <summary>Messages that the broker said no to.</summary>
    public long Rejected { get; private set; }

    /// <summary>A new connection can be published to: what was out on the last one is to be sent again, with a mark.</summary>
    public void Open()
    {
        lock (_gate)
        {
            _flights.Clear();
            _lastFlight = 0;
            _oldestFlight = 1;
            for (var place = _head; place < _tail; place++)
            {
                ref var entry = ref At(place);
                if (entry.State != OutgoingState.Sent)
                    continue;
                (entry.State, entry.IsRepeated) = (OutgoingState.Waiting, true);
                Resent++;
            }

            _next = _head;
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

    /// <summary>Gives back what it has. When nobody takes from it any more.</summary>
    public void Dispose()
    {
        Seal();
        lock (_gate)
        {
            DropWaiting();
            for (var place = _head; place < _tail; place++)
            {
                if (At(place).State == OutgoingState.Sent)
                    MarkDone(place, 1);
            }

            _segment?.Retire();
            _segment = null;
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
                Land(flight, isTaken);
            for (; multiple && _oldestFlight <= Math.Min(flight, _lastFlight); _oldestFlight++)
                Land(_oldestFlight, isTaken);
        }

        _work.Set();
    }

    /// <summary>Whether the broker said no since the last call.</summary>
    public bool TakeRejected()
    {
        lock (_gate)
        {
            var was = _wasRejected;
            _wasRejected = false;
            return was;
        }
    }

    /// <summary>Completes when everything added so far is out; with confirms, when the broker has it.</summary>
    public Task FlushAsync()
    {
        lock (_gate)
        {
            if (_head == _tail)
                return Task.CompletedTask;
            var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _flushes.Enqueue((_tail, done));
            return done.Task;
        }
    }

    private void TakeOff(long first, int count) => _flights[++_lastFlight] = (first, count);

    private void Land(ulong flight, bool isTaken)
    {
        if (!_flights.Remove(flight, out var landed))
            return;
        if (isTaken)
        {
            MarkDone(landed.First, landed.Count);
            return;
        }

        for (var place = landed.First; place < landed.First + landed.Count; place++)
        {
            ref var entry = ref At(place);
            (entry.State, entry.IsRepeated) = (OutgoingState.Waiting, true); // another queue of the topic may have taken it
        }

        Rejected += landed.Count;
        _next = Math.Min(_next, landed.First);
        _wasRejected = true;
    }

    private void DropWaiting()
    {
        for (var place = _head; place < _tail; place++)
        {
            if (At(place).State != OutgoingState.Waiting)
                continue;
            Dropped++;
            MarkDone(place, 1);
        }
    }

    private void EndFlushes()
    {
        while (_flushes.TryPeek(out var flush) && flush.End <= _head)
            _flushes.Dequeue().Done.SetResult();
    }
}
