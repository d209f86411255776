using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The at-least-once deliveries of one consumer whose handlers run. Thread-safe.</summary>
/// <param name="abandoned">The deliveries of the subscription that lost their channel.</param>
internal sealed class RunningDeliveries(AbandonedDeliveries abandoned)
{
    private readonly object _gate = new();
    private readonly Dictionary<ulong, RunningDelivery> _running = [];
    private readonly List<ulong> _stalled = [];
    private bool _isAbandoned;

    /// <summary>Records a delivery before its handler is called.</summary>
    /// <returns><c>false</c> if the channel is closed, so that the broker delivers the message again; otherwise, <c>true</c>.</returns>
    public bool TryBegin(in Delivery delivery, long now)
    {
        lock (_gate)
            return !_isAbandoned && _running.TryAdd(delivery.Tag, new RunningDelivery(delivery, now));
    }

    /// <summary>Records that the handlers of a delivery have ended.</summary>
    /// <param name="tag">The tag of the delivery.</param>
    /// <param name="outcome">The outcome.</param>
    /// <param name="delivery">The delivery, which the caller frees; the default value for a redelivery.</param>
    /// <param name="redelivery">The redelivery to settle instead; the default value before the message is delivered again.</param>
    /// <returns><c>true</c> if the channel is open and the delivery can be settled; otherwise, <c>false</c>.</returns>
    public bool TryEnd(ulong tag, Outcome outcome, out Delivery delivery, out Redelivery redelivery)
    {
        redelivery = default;
        lock (_gate)
        {
            var isKnown = _running.Remove(tag, out var ended); // false for a redelivery whose first handler has ended
            delivery = ended.Delivery;
            if (!isKnown || !_isAbandoned)
                return true;
            if (ended.Abandoned is { } entry)
                redelivery = abandoned.End(entry, outcome);
            return false;
        }
    }

    /// <summary>Records that the channel is closed while the handlers continue.</summary>
    public void Abandon()
    {
        lock (_gate)
        {
            _isAbandoned = true;
            foreach (var tag in (ulong[])[.. _running.Keys])
                _running[tag] = _running[tag] with { Abandoned = abandoned.Add(_running[tag].Delivery.From) };
        }
    }

    /// <summary>Returns the deliveries whose handlers were called before a time, each once.</summary>
    public RunningDelivery[] TakeStalled(long before)
    {
        lock (_gate)
        {
            _stalled.Clear();
            foreach (var (tag, running) in _running)
            {
                if (running.StartedAt < before && !running.IsReported)
                    _stalled.Add(tag);
            }

            var taken = new RunningDelivery[_stalled.Count];
            for (var index = 0; index < taken.Length; index++)
                _running[_stalled[index]] = taken[index] = _running[_stalled[index]] with { IsReported = true };
            return taken;
        }
    }
}
