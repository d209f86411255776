using System;
using System.Collections.Concurrent;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Reports the outcomes of the deliveries of one channel to the broker.</summary>
internal abstract class Settlement
{
    private readonly BrokerConnection _link;
    private readonly Intake _intake;
    private readonly int _channel;
    private readonly Func<Delivery, Outcome, Task> _settle;
    private readonly ConcurrentQueue<Delivery> _settled = new(); // for the next messages

    /// <summary>Creates the settlement of a channel.</summary>
    /// <param name="reports">The counters.</param>
    /// <param name="link">The connection, which is lost when a settlement fails.</param>
    /// <param name="intake">Counts the deliveries that are not settled.</param>
    /// <param name="channel">The number of the channel in the <see cref="DeliveryTable"/>; 0 for at-most-once messages.</param>
    protected Settlement(HostReports reports, BrokerConnection link, Intake intake, int channel = 0)
    {
        (Reports, _link, _intake, _channel) = (reports, link, intake, channel);
        _settle = SettleAsync;
    }

    protected HostReports Reports { get; }

    /// <summary>Begins the delivery of a message.</summary>
    public Delivery Begin(ulong tag, in Origin from, bool isRedelivered, IReadOnlyBasicProperties properties)
    {
        if (!_settled.TryDequeue(out var delivery))
            delivery = new Delivery(_settle);
        delivery.Begin(tag, _channel, in from, isRedelivered, properties);
        NoteTaken(1);
        return delivery;
    }

    /// <summary>Frees a delivery that is settled, or that is left unsettled because its handlers are not called.</summary>
    public void Release(Delivery delivery)
    {
        NoteTaken(-1);
        delivery.Free();
        _intake.End();
    }

    /// <summary>Settles a redelivered message without a call of its handlers, if it must not be handled again.</summary>
    /// <param name="redelivery">The redelivery.</param>
    /// <param name="settled">Completes when the message is settled, or immediately if it is settled later.</param>
    /// <returns><c>false</c> if the message must be handled; otherwise, <c>true</c>.</returns>
    public abstract bool TryJoin(Delivery redelivery, out Task settled);

    /// <summary>Waits for earlier handlers that must not run beside those of the next delivery.</summary>
    public virtual Task WaitForEarlierAsync() => Task.CompletedTask;

    /// <summary>Records that the handlers of a delivery are called.</summary>
    /// <returns><c>false</c> if the channel is closed, so that the broker delivers the message again; otherwise, <c>true</c>.</returns>
    public abstract bool TryHandle(Delivery delivery);

    /// <summary>Records that the first handler of a delivery continues while other deliveries are handled.</summary>
    public virtual void Defer()
    {
        // An at-least-once delivery is acknowledged alone in any case.
    }

    /// <summary>Records that the handlers of a delivery were called.</summary>
    /// <param name="delivery">The delivery.</param>
    /// <param name="worst">The outcome of the handlers that have ended.</param>
    /// <returns>A task that completes when the next delivery may be handled.</returns>
    public abstract Task EndAsync(Delivery delivery, Outcome worst);

    /// <summary>Records that the channel is closed.</summary>
    public virtual void Close()
    {
        // An at-most-once message is not delayed for another try.
    }

    /// <summary>Records that the channel is closed while handlers may continue, and that the broker delivers their messages again.</summary>
    public virtual void Abandon()
    {
        // An at-most-once message is not delivered again.
    }

    /// <summary>Called four times a second. Reports the handlers that have run for most of the time that the broker allows, and acknowledges the deliveries that are collected for one frame.</summary>
    /// <param name="now">The time, in milliseconds.</param>
    public abstract void Check(long now);

    /// <summary>Adds to the number of deliveries that have begun and are neither settled nor left.</summary>
    protected virtual void NoteTaken(int change)
    {
        // The broker delivers an at-least-once message again.
    }

    /// <summary>Reports the outcome of a delivery to the broker.</summary>
    protected abstract ValueTask AnswerAsync(Delivery delivery, Outcome outcome);

    /// <summary>Records that an outcome could not be sent to the broker.</summary>
    protected void NoteUnsent(Exception exception)
    {
        Reports.Count(RabbitCounter.Unacknowledged); // the broker delivers it again
        if (exception is not (AlreadyClosedException or OperationInterruptedException or ObjectDisposedException))
            _link.Lose(Reason.Of(exception)); // the connection cannot be used any more
    }

    private async Task SettleAsync(Delivery delivery, Outcome outcome)
    {
        try
        {
            await AnswerAsync(delivery, outcome).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            NoteUnsent(e);
        }
        finally
        {
            Release(delivery);
            if (delivery is { IsShared: false, State: DeliveryState.Open })
                _settled.Enqueue(delivery);
        }
    }
}
