using System;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Receives from one queue over one channel. The handlers of the deliveries are called one after the other.</summary>
/// <remarks>
/// The channel's prefetch bounds the number of deliveries that are not settled, so a slow handler leaves the remaining messages at the broker. Without the prefetch, the
/// client would take any number. An exception of a handler never ends a consumer. Deliveries are handled outside the client library: when the broker closes a channel, the
/// client stops reading from the connection until the running callback of the channel has ended. A handler that the client called would therefore
/// stop every subscription and every request of the host.
/// </remarks>
internal sealed class Consumer : IAsyncBasicConsumer
{
    private readonly Inbox _inbox;
    private readonly BrokerConnection _link;
    private readonly Subscription _subscription;
    private readonly Intake _intake;
    private readonly Settlement _settlement;
    private readonly HandlerCaller _handlers;
    private readonly Channel<Delivery> _waiting = System.Threading.Channels.Channel.CreateUnbounded<Delivery>(new UnboundedChannelOptions { SingleReader = true });
    private Task _handling = Task.CompletedTask;
    private int _isInterrupted;

    public Consumer(Inbox inbox, BrokerConnection link, IChannel channel, Subscription subscription, DeclaredQueue queue)
    {
        (_inbox, _link, Channel, _subscription) = (inbox, link, channel, subscription);
        _intake = new Intake(link, channel, inbox.Names, queue.Name, subscription.Queue);
        _settlement = subscription.IsKept
            ? new AtLeastOnceSettlement(inbox, link, channel, _intake, subscription, queue)
            : new AtMostOnceSettlement(inbox, link, channel, _intake, subscription.Queue);
        _handlers = new HandlerCaller(inbox, _settlement, subscription);
    }

    public IChannel Channel { get; }

    /// <summary>Whether a message has arrived. The consumer of a partition is then the active one.</summary>
    public bool HasReceived { get; private set; }

    /// <summary>Whether the broker delivers the received messages again. Handling them here would only delay the end of the channel.</summary>
    private bool IsGivenBack => (_link.IsLost || !Channel.IsOpen) && (_inbox.IsDisposed || _subscription.IsKept);

    /// <summary>Starts to receive.</summary>
    /// <param name="earlier">The end of the deliveries of an earlier consumer, which are handled first.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    public async Task StartAsync(Task earlier, CancellationToken cancellationToken)
    {
        _handling = RunAsync(earlier);
        await _intake.StartAsync(this, cancellationToken).ConfigureAwait(false);
        Channel.ChannelShutdownAsync += (_, reason) =>
        {
            OnShutdown(reason);
            return Task.CompletedTask;
        };
        if (Channel.CloseReason is { } closed)
            OnShutdown(closed);
        if (_intake.IsCareful)
            _ = LosePatienceAsync();
    }

    /// <summary>Stops receiving, and waits for the handlers of the received messages.</summary>
    /// <param name="limit">Ends the wait.</param>
    public Task<bool> StopAsync(CancellationToken limit) => _intake.StopAsync(limit);

    /// <summary>Takes no further deliveries. Completes when those that were taken are handled.</summary>
    public Task EndAsync()
    {
        _waiting.Writer.TryComplete();
        return _handling;
    }

    /// <inheritdoc cref="Intake.TryResume"/>
    public bool TryResume() => _intake.TryResume();

    /// <inheritdoc cref="Settlement.Check"/>
    public void Check(long now) => _settlement.Check(now);

    public Task HandleBasicDeliverAsync(
        string consumerTag,
        ulong deliveryTag,
        bool redelivered,
        string exchange,
        string routingKey,
        IReadOnlyBasicProperties properties,
        ReadOnlyMemory<byte> body,
        CancellationToken cancellationToken = default)
    {
        if (IsGivenBack || !_intake.TryBegin())
            return Task.CompletedTask;
        HasReceived = true;
        var from = Envelope.ReadOrigin(redelivered, exchange, routingKey, properties, _inbox.Names.AtLeastOnce);
        var delivery = _settlement.Begin(deliveryTag, in from, redelivered, properties);
        if (redelivered && _settlement.TryJoin(delivery, out var settled))
        {
            _ = WidenAsync(); // the running handler must not delay other messages
            return settled;
        }

        delivery.CopyBody(body);
        if (!_waiting.Writer.TryWrite(delivery))
            _settlement.Release(delivery); // the channel is closed: the broker delivers the message again, or it is missing at most once
        return Task.CompletedTask;
    }

    public Task HandleBasicCancelAsync(string consumerTag, CancellationToken cancellationToken = default)
    {
        Interrupt("The broker canceled the consumer: the queue was deleted, or a handler exceeded the timeout of the broker.");
        return Task.CompletedTask;
    }

    public Task HandleBasicCancelOkAsync(string consumerTag, CancellationToken cancellationToken = default)
    {
        _intake.NoteCanceled();
        return Task.CompletedTask;
    }

    public Task HandleBasicConsumeOkAsync(string consumerTag, CancellationToken cancellationToken = default) => Task.CompletedTask;

    public Task HandleChannelShutdownAsync(object channel, ShutdownEventArgs reason) => Task.CompletedTask;

    /// <summary>Prevents a long-running handler from delaying other messages.</summary>
    private async Task LosePatienceAsync()
    {
        try
        {
            await _intake.WaitForStuckAsync().ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            return; // the consumer has ended
        }

        await WidenAsync().ConfigureAwait(false);
    }

    private async Task WidenAsync()
    {
        try
        {
            await _intake.WidenAsync(this).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            Interrupt(Reason.Of(e));
        }
    }

    /// <summary>Handles the waiting deliveries until there are no further ones. The prefetch bounds their number.</summary>
    private async Task RunAsync(Task earlier)
    {
        try
        {
            await earlier.ConfigureAwait(false);
            while (await _waiting.Reader.WaitToReadAsync().ConfigureAwait(false))
            {
                while (_waiting.Reader.TryRead(out var delivery))
                {
                    await _settlement.WaitForEarlierAsync().ConfigureAwait(false);
                    await _subscription.WaitForPlaceAsync().ConfigureAwait(false);
                    await HandleAsync(delivery).ConfigureAwait(false);
                }
            }
        }
        catch (Exception e)
        {
            _inbox.Reports.ReportFailure(default, 0, e);
            Interrupt(Reason.Of(e));
        }
    }

    /// <returns>A task that completes when the next delivery may be handled.</returns>
    private Task HandleAsync(Delivery delivery)
    {
        if (IsGivenBack || !_settlement.TryHandle(delivery))
        {
            _settlement.Release(delivery);
            _subscription.EndHandlers();
            return Task.CompletedTask;
        }

        var worst = _handlers.Call(delivery);
        if (!delivery.IsRedelivered && _intake.IsCareful)
            _ = WidenAsync();
        return _settlement.EndAsync(delivery, worst);
    }

    private void OnShutdown(ShutdownEventArgs reason)
    {
        _waiting.Writer.TryComplete();
        _settlement.Close();
        if (_link.Consuming.IsOpen && reason.Initiator != ShutdownInitiator.Application)
        {
            Interrupt(reason.ReplyText);
            return;
        }

        TryAbandon(); // before the next channel receives the messages again, also if the host closed this one while a handler runs
        if (!_link.Consuming.IsOpen)
            _link.Lose(reason.ReplyText);
    }

    /// <summary>Restarts this subscription after the broker ended the subscription but not the connection.</summary>
    private void Interrupt(string reason)
    {
        if (TryAbandon() && !_link.IsLost)
            _subscription.Restart(_link, Channel, reason);
    }

    /// <summary>Keeps the running handlers for the subscription, so that a redelivery of their messages joins them. Each end of the channel or of the connection calls this method.</summary>
    /// <returns><c>false</c> if it was called before.</returns>
    private bool TryAbandon()
    {
        if (Interlocked.Exchange(ref _isInterrupted, 1) != 0)
            return false;
        _settlement.Abandon();
        _waiting.Writer.TryComplete();
        _intake.Abandon();
        return true;
    }
}
