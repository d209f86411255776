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

    /// <summary>From where on something was refused, and up to where everything has its turn first: else what a full queue refuses would be all that is ever sent.</summary>
    private long _rejectedFrom = long.MaxValue;
    private long _turnEnd;

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
            (_rejectedFrom, _turnEnd) = (long.MaxValue, 0);
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
                FailFlushes();
            DropWaiting();
            for (var place = _head; place < _tail; place++)
            {
                if (At(place).State == OutgoingState.Sent)
                    MarkDone(place, 1);
            }

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
                Land(flight, isTaken);
            for (; multiple && _oldestFlight <= Math.Min(flight, _lastFlight); _oldestFlight++)
                Land(_oldestFlight, isTaken);
        }

        _work.Set();
    }

    /// <summary>Whether the broker said no to something, and everything else has had its turn.</summary>
    public bool HasRejected
    {
        get
        {
            lock (_gate)
                return _rejectedFrom != long.MaxValue && _next >= _turnEnd;
        }
    }

    /// <summary>What the broker said no to is given out again, before what was added later.</summary>
    public void SendRejectedAgain()
    {
        lock (_gate)
        {
            _next = Math.Max(_head, Math.Min(_next, _rejectedFrom));
            (_rejectedFrom, _turnEnd) = (long.MaxValue, _tail);
        }

        _work.Set();
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
        _rejectedFrom = Math.Min(_rejectedFrom, landed.First);
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

    private void FailFlushes()
    {
        while (_flushes.TryDequeue(out var flush))
        {
            flush.Done.SetException(new ObjectDisposedException(nameof(RabbitHost), $"The host was disposed with {_count} messages unconfirmed: await the flush before disposing it."));
            _ = flush.Done.Task.Exception; // nobody need be waiting for it
        }
    }

    private void EndFlushes()
    {
        while (_flushes.TryPeek(out var flush) && flush.End <= _head)
            _flushes.Dequeue().Done.SetResult();
    }
}
