using System.Collections.Generic;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The at-least-once deliveries of a subscription whose handlers run, over all of its channels. Thread-safe.</summary>
/// <remarks>
/// When a channel is closed, its handlers continue, and the broker delivers their messages again. Such a redelivery is not handled a second time. It waits for
/// the end of the first handlers and is settled with their outcome.
/// </remarks>
internal sealed class DeliveryTable
{
    private readonly object _gate = new();
    private readonly HashSet<Delivery> _running = [];
    private readonly Dictionary<MessageId, Delivery> _abandoned = [];
    private int _runningAbandoned;
    private TaskCompletionSource? _abandonedEnd; // when the last one of them ends
    private int _channels;
    private int _closed;

    /// <summary>Returns the number of a new channel, which replaces the channels before it.</summary>
    public int OpenChannel()
    {
        lock (_gate)
            return ++_channels;
    }

    /// <summary>Records a delivery before its first handler is called.</summary>
    /// <param name="delivery">The delivery.</param>
    /// <param name="now">The time, in milliseconds.</param>
    /// <returns><c>false</c> if the channel is closed, so that the broker delivers the message again; otherwise, <c>true</c>.</returns>
    public bool TryBegin(Delivery delivery, long now)
    {
        lock (_gate)
        {
            delivery.StartedAt = now;
            return delivery.Channel > _closed && _running.Add(delivery);
        }
    }

    /// <summary>Records that the handlers of a delivery have ended.</summary>
    /// <returns>
    /// The delivery to settle: this one, or its redelivery if its channel was closed; <c>null</c> if the message was not delivered again yet. The
    /// <see cref="Delivery.Successor"/> of a redelivery has to be settled too.
    /// </returns>
    public Delivery? End(Delivery delivery, Outcome outcome)
    {
        lock (_gate)
        {
            _running.Remove(delivery); // a redelivery that waited is not among them
            if (delivery.State != DeliveryState.Abandoned)
                return delivery;
            (delivery.State, delivery.Outcome) = (DeliveryState.Ended, outcome);
            if (--_runningAbandoned == 0)
            {
                _abandonedEnd?.SetResult();
                _abandonedEnd = null;
            }

            if (delivery.Successor is not null)
                _abandoned.Remove(MessageId.Of(delivery));
            return delivery.Successor;
        }
    }

    /// <summary>Records that a channel is closed while handlers of its deliveries may continue.</summary>
    public void Abandon(int channel)
    {
        lock (_gate)
        {
            _closed = channel;
            foreach (var (id, first) in _abandoned)
            {
                if (first.Successor?.Channel == channel)
                    first.Successor = null; // the message is delivered once more
                else if (first.State == DeliveryState.Ended)
                    _abandoned.Remove(id); // the message was not delivered here again
            }

            foreach (var delivery in _running)
            {
                if (delivery.Channel != channel)
                    continue;
                delivery.State = DeliveryState.Abandoned;
                _runningAbandoned++;
                if (delivery.From.Number > 0)
                    _abandoned.TryAdd(MessageId.Of(delivery), delivery); // another copy of the message may be there
            }
        }
    }

    /// <summary>Waits for the handlers that run although their channel was closed. Until they end, no message of a partition may be handled, because it may have the same key.</summary>
    public Task WaitForAbandonedAsync()
    {
        lock (_gate)
        {
            return _runningAbandoned == 0
                ? Task.CompletedTask
                : (_abandonedEnd ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }
    }

    /// <summary>Connects a redelivery with the first delivery of its message.</summary>
    /// <param name="redelivery">The redelivery.</param>
    /// <param name="ended">The outcome if the handlers have ended; <c>null</c> if they still run and their end settles the redelivery.</param>
    /// <returns><c>true</c> if the message was found; otherwise, <c>false</c>.</returns>
    public bool TryJoin(Delivery redelivery, out Outcome? ended)
    {
        ended = null;
        lock (_gate)
        {
            if (_abandoned.Count == 0 || !_abandoned.TryGetValue(MessageId.Of(redelivery), out var first))
                return false;
            if (first.State == DeliveryState.Ended)
            {
                ended = first.Outcome;
                _abandoned.Remove(MessageId.Of(first));
            }
            else
            {
                redelivery.Successor = first.Successor; // of another copy of the message
                first.Successor = redelivery;
            }

            return true;
        }
    }

    /// <summary>Returns the deliveries of a channel whose handlers were called before a time, each once.</summary>
    public IReadOnlyList<(Origin From, long StartedAt)> TakeStalled(int channel, long before)
    {
        List<(Origin, long)>? stalled = null;
        lock (_gate)
        {
            foreach (var delivery in _running)
            {
                if (delivery.Channel != channel || delivery.StartedAt >= before || delivery.IsReported)
                    continue;
                delivery.IsReported = true;
                (stalled ??= []).Add((delivery.From, delivery.StartedAt));
            }
        }

        return stalled ?? (IReadOnlyList<(Origin, long)>)[];
    }

    /// <summary>The identity of a message, or of the first message of a batch.</summary>
    private readonly record struct MessageId(string Sender, string Topic, ulong Number)
    {
        public static MessageId Of(Delivery delivery) => new(delivery.From.Sender, delivery.From.Topic, delivery.From.Number);
    }
}

/// <summary>The state of a delivery in a <see cref="DeliveryTable"/>.</summary>
internal enum DeliveryState
{
    /// <summary>The channel was not closed. The outcome of the handlers settles the delivery.</summary>
    Open = 0,

    /// <summary>The channel was closed while the handlers ran. They still run.</summary>
    Abandoned,

    /// <summary>The channel was closed, and the handlers have ended since. Their outcome settles the redelivery.</summary>
    Ended,
}
