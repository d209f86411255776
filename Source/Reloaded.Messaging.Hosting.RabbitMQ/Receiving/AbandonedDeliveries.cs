using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The deliveries of a subscription that lost their channel while their handlers ran. The broker delivers their messages again. Thread-safe.</summary>
/// <remarks>A redelivery is not handled a second time. It waits for the end of the first handler and is settled with its outcome.</remarks>
internal sealed class AbandonedDeliveries
{
    private readonly object _gate = new();
    private readonly Dictionary<MessageId, AbandonedDelivery> _entries = [];

    /// <summary>Forgets the redeliveries of a consumer that lost its channel, and the ended deliveries that were not delivered here again.</summary>
    public void Leave(Consumer consumer)
    {
        lock (_gate)
        {
            foreach (var (id, entry) in _entries)
            {
                if (entry.Redelivery.Consumer == consumer)
                    entry.Redelivery = default;
                else if (entry.Outcome is not null)
                    _entries.Remove(id);
            }
        }
    }

    /// <summary>Adds a delivery whose handler runs.</summary>
    /// <returns>The entry; <c>null</c> if the message has no number, or if another copy of the message was added.</returns>
    public AbandonedDelivery? Add(in Origin from)
    {
        var entry = new AbandonedDelivery(MessageId.Of(in from));
        lock (_gate)
            return from.Number > 0 && _entries.TryAdd(entry.Id, entry) ? entry : null;
    }

    /// <summary>Connects a redelivery with the first delivery of its message.</summary>
    /// <param name="from">The origin of the message.</param>
    /// <param name="redelivery">The redelivery.</param>
    /// <param name="ended">The outcome if the handler has ended; <c>null</c> if the handler still runs and its end settles the redelivery.</param>
    /// <returns><c>true</c> if the message was found; otherwise, <c>false</c>.</returns>
    public bool TryJoin(in Origin from, Redelivery redelivery, out Outcome? ended)
    {
        ended = null;
        lock (_gate)
        {
            if (_entries.Count == 0 || !_entries.TryGetValue(MessageId.Of(in from), out var entry))
                return false;
            ended = entry.Outcome;
            if (ended is null)
                entry.Redelivery = redelivery;
            else
                _entries.Remove(entry.Id);
            return true;
        }
    }

    /// <summary>Records the end of a handler.</summary>
    /// <returns>The redelivery to settle; the default value if the message was not delivered again yet.</returns>
    public Redelivery End(AbandonedDelivery entry, Outcome outcome)
    {
        lock (_gate)
        {
            if (entry.Redelivery.Consumer is null)
                entry.Outcome = outcome;
            else
                _entries.Remove(entry.Id);
            return entry.Redelivery;
        }
    }
}
