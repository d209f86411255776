using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Acknowledges every at-most-once message after the call of its handlers, or after their end.</summary>
/// <remarks>
/// Many deliveries of an exclusive queue, from which messages are never delivered again, are acknowledged with one frame. One frame is used only while no handler
/// runs, because it would acknowledge the running deliveries too. While a handler runs, each delivery is acknowledged separately, so that the handler does not delay the
/// others. The client queues a frame before its first wait, so frames that are created under the lock are sent in order. The broker ends a channel that
/// acknowledges a delivery twice.
/// </remarks>
internal sealed class AtMostOnceSettlement(Inbox inbox, BrokerConnection link, IChannel channel, Intake intake, SubscribedQueue queue) : Settlement(inbox.Reports, link, intake)
{
    /// <summary>The number of deliveries for each frame.</summary>
    private readonly int _window = Math.Max(1, queue.Prefetch / 4);

    private readonly object _gate = new();
    private ulong _highest;
    private int _ended;
    private int _running;

    public override bool TryJoin(Delivery redelivery, out Task settled)
    {
        Reports.Count(RabbitCounter.RedeliveriesDropped);
        settled = redelivery.SettleAsync(Outcome.Done);
        return true;
    }

    public override bool TryHandle(Delivery delivery) => true;

    public override void Defer()
    {
        lock (_gate)
            _running++;
    }

    /// <summary>Acknowledges the deliveries of a quiet queue: the broker closes a channel whose delivery is not acknowledged for half an hour, and deletes an exclusive queue with it.</summary>
    public override void Check(long now)
    {
        if (Volatile.Read(ref _ended) > 0)
            _ = AcknowledgeAsync();
    }

    public override Task EndAsync(Delivery delivery, Outcome worst)
    {
        delivery.Free();
        var isShared = delivery.IsShared;
        var settled = delivery.EndAsync(worst);
        return isShared ? Task.CompletedTask : settled;
    }

    protected override void NoteTaken(int change)
    {
        if (queue.Role != ConsumerRole.Replies) // a reply ends a request, and the end of the host ends all requests
            inbox.NoteTaken(change);
    }

    protected override ValueTask AnswerAsync(Delivery delivery, Outcome outcome)
    {
        if (!queue.IsOwn)
            return channel.BasicAckAsync(delivery.Tag, multiple: false);
        lock (_gate)
        {
            if (delivery.IsShared)
                _running--;
            if (_running > 0)
                return channel.BasicAckAsync(delivery.Tag, multiple: false);
            _highest = Math.Max(_highest, delivery.Tag);
            return ++_ended < _window ? default : AcknowledgeEnded();
        }
    }

    private async Task AcknowledgeAsync()
    {
        try
        {
            ValueTask sent;
            lock (_gate)
                sent = _ended > 0 ? AcknowledgeEnded() : default;
            await sent.ConfigureAwait(false);
        }
        catch (Exception e)
        {
            NoteUnsent(e);
        }
    }

    /// <summary>Acknowledges all deliveries up to the highest one that ended while no handler ran. The caller holds the lock.</summary>
    private ValueTask AcknowledgeEnded()
    {
        _ended = 0;
        return channel.BasicAckAsync(_highest, multiple: true);
    }
}
