using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The flushes of a queue, in order. Used under the lock of the queue.</summary>
internal sealed class Flushes
{
    private readonly Queue<FlushEpoch> _waiting = new();
    private FlushEpoch _current = new();

    /// <summary>Counts a message for the next flush.</summary>
    public FlushEpoch Add()
    {
        _current.Open++;
        return _current;
    }

    /// <summary>Records that a message of an epoch is completed.</summary>
    public void Remove(FlushEpoch epoch)
    {
        epoch.Open--;
        while (_waiting.TryPeek(out var oldest) && oldest.Open == 0)
            _waiting.Dequeue().Complete();
    }

    /// <summary>Begins a flush of all messages that were added so far.</summary>
    public Task BeginAsync()
    {
        var begun = _current;
        _current = new FlushEpoch();
        if (_waiting.Count == 0 && begun.Open == 0)
            begun.Complete();
        else
            _waiting.Enqueue(begun);
        return begun.Done;
    }

    /// <summary>Records that a message is lost. Every flush that waits for the message fails. If there is no such flush, the next flush fails.</summary>
    public void Fail(FlushEpoch epoch, Exception reason)
    {
        var isLater = false;
        foreach (var waiting in _waiting)
        {
            isLater |= waiting == epoch;
            if (isLater)
                waiting.Fail(reason);
        }

        if (!isLater)
            _current.Fail(reason);
    }

    /// <summary>Makes every waiting flush fail immediately.</summary>
    public void FailAll(Exception reason)
    {
        while (_waiting.TryDequeue(out var waiting))
        {
            waiting.Fail(reason);
            waiting.Complete();
        }
    }
}
