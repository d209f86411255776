using System;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Receives from one queue over one channel, and settles the deliveries. The handlers of the deliveries are called one after the other.</summary>
/// <remarks>
/// The channel's prefetch bounds the number of deliveries that are not settled, so a slow handler leaves the remaining messages at the broker.
/// Without the prefetch, the client would take any number. An exception of a handler never ends a consumer. Bodies are copied: see <see cref="DeliveryLoop"/>.
/// </remarks>
internal sealed class Consumer(Inbox inbox, BrokerConnection link, IChannel channel, Subscription subscription, DeclaredQueue queue) : IAsyncBasicConsumer
{
    /// <summary>The share of the broker's timeout after which a handler is reported.</summary>
    private const double StalledShare = 0.75;

    private readonly Intake _intake = new(link, channel, inbox.Names, queue.Name, subscription.Queue);
    private readonly AckWindow? _window = subscription.Queue.IsOwn ? new AckWindow(channel, Math.Max(1, subscription.Queue.Prefetch / 4)) : null;
    private readonly RunningDeliveries? _running = subscription.IsKept ? new RunningDeliveries(subscription.Abandoned) : null;
    private readonly DeadLetters? _dead = queue.Dead is null ? null : new DeadLetters(inbox, link, subscription, queue.Dead, queue.DeadCount);

    private readonly DelayedRetries? _retries = subscription is { IsKept: true, Queue: { Partition: null } } && subscription.Queue.RetryDelay > TimeSpan.Zero ? new DelayedRetries(link, inbox.Names, inbox.Options, inbox.Reports, subscription.Queue, queue.Name) : null;

    private readonly bool _isOrdered = subscription.Queue.Partition is not null;
    private DeliveryLoop? _loop;
    private Task _handling = Task.CompletedTask;
    private int _isInterrupted;

    public IChannel Channel => channel;

    /// <summary>Whether a message has arrived. The consumer of a partition is then the active one.</summary>
    public bool HasReceived { get; private set; }

    /// <summary>Calls the handlers.</summary>
    public HandlerCaller Handlers => field ??= new HandlerCaller(inbox, this, subscription, _window);

    /// <summary>Whether the broker delivers the received messages again. Handling them here would only delay the end of the channel.</summary>
    private bool IsGivenBack => (link.IsLost || !channel.IsOpen) && (inbox.IsDisposed || subscription.Kind == DeliveryKind.AtLeastOnce);

    /// <summary>Starts to receive.</summary>
    /// <param name="earlier">The end of the deliveries of an earlier consumer, which are handled first.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    public async Task StartAsync(Task earlier, CancellationToken cancellationToken)
    {
        _loop = new DeliveryLoop(HandleAsync);
        _handling = RunAsync(_loop, earlier);
        await _intake.StartAsync(this, cancellationToken).ConfigureAwait(false);
        channel.ChannelShutdownAsync += (_, reason) =>
        {
            OnShutdown(reason);
            return Task.CompletedTask;
        };
        if (channel.CloseReason is { } closed)
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
        _loop?.Complete();
        return _handling;
    }

    /// <inheritdoc cref="Intake.TryResume"/>
    public bool TryResume() => _intake.TryResume();

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
        if (IsGivenBack)
            return Task.CompletedTask;
        if (!_intake.TryBegin())
            return Task.CompletedTask;
        HasReceived = true;
        if (redelivered && subscription.Kind == DeliveryKind.AtMostOnce)
        {
            inbox.Reports.Count(RabbitCounter.RedeliveriesDropped);
            return SettleAsync(deliveryTag, Outcome.Done, tries: 1, wasPending: false);
        }

        var from = OriginReader.Read(redelivered, exchange, routingKey, properties, inbox.Names.AtLeastOnce);
        var delivery = new Delivery(deliveryTag, from, redelivered, properties, body, Rented: null);
        if (redelivered && TryJoin(in delivery, out var settled))
            return settled;
        if (!_loop!.TryAdd(in delivery))
            _intake.End(); // the channel is closed: the broker delivers the message again, or it is missing at most once
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

    /// <summary>Reports the handlers that have run for most of the time that the broker allows.</summary>
    /// <param name="now">The time, in milliseconds.</param>
    public void ReportStalled(long now)
    {
        if (_running is null)
            return;
        var timeout = subscription.Queue.HandlerTimeout ?? SubscribedQueue.BrokerTimeout;
        foreach (var stalled in _running.TakeStalled(now - (long)(timeout.TotalMilliseconds * StalledShare)))
            inbox.ReportHandlerStalled(new StalledHandler(subscription.Reported, stalled.Delivery.From, TimeSpan.FromMilliseconds(now - stalled.StartedAt), timeout));
    }

    /// <summary>Reports the outcome of a delivery to the broker.</summary>
    public async Task SettleAsync(ulong tag, Outcome outcome, int tries, bool wasPending)
    {
        var delivery = default(Delivery);
        try
        {
            if (_running?.TryEnd(tag, outcome, out delivery, out var redelivery) == false)
            {
                if (redelivery.Consumer is { } successor)
                    await successor.SettleAsync(redelivery.Tag, outcome, redelivery.Tries, wasPending: true).ConfigureAwait(false);
            }
            else if (_window is not null)
            {
                await _window.EndAsync(tag, wasPending).ConfigureAwait(false);
            }
            else
            {
                await AnswerAsync(tag, outcome, tries, delivery, isLast: tries >= subscription.Queue.MaxTries && !inbox.IsStopping).ConfigureAwait(false);
            }
        }
        catch (Exception e)
        {
            inbox.Reports.Count(RabbitCounter.Unacknowledged); // the broker delivers it again
            if (e is not (AlreadyClosedException or OperationInterruptedException or ObjectDisposedException))
                link.Lose(Reason.Of(e)); // the connection cannot be used any more
        }
        finally
        {
            delivery.Free();
            _intake.End();
        }
    }

    private ValueTask AnswerAsync(ulong tag, Outcome outcome, int tries, Delivery delivery, bool isLast)
    {
        switch (subscription.Kind == DeliveryKind.AtMostOnce ? Outcome.Done : outcome)
        {
            case Outcome.Done:
                return channel.BasicAckAsync(tag, multiple: false);
            case Outcome.Again when !isLast:
                inbox.Reports.Count(RabbitCounter.Retried);
                return ReturnAsync(tag, tries, delivery);
            default:
                inbox.Reports.Count(RabbitCounter.DeadLettered);
                _dead?.Note();
                return channel.BasicRejectAsync(tag, requeue: false);
        }
    }

    /// <summary>Makes the message of a handler that threw come again.</summary>
    /// <param name="tag">The tag of the delivery.</param>
    /// <param name="tries">The number of tries so far.</param>
    /// <param name="delivery">The delivery; the default value if there is no copy of the body.</param>
    private async ValueTask ReturnAsync(ulong tag, int tries, Delivery delivery)
    {
        if (_isOrdered)
        {
            if (subscription.Queue.RetryDelay > TimeSpan.Zero && !inbox.IsStopping)
                await Task.Delay(RetryDelay.Of(tries, subscription.Queue.RetryDelay, subscription.Queue.MaxRetryDelay), link.Ended).ConfigureAwait(false); // the later messages wait too
        }
        else if (_retries is not null && delivery.Rented is not null && !inbox.IsStopping)
        {
            if (await _retries.TryDelayAsync(delivery).ConfigureAwait(false))
            {
                await channel.BasicAckAsync(tag, multiple: false).ConfigureAwait(false);
                return;
            }

            inbox.Reports.Count(RabbitCounter.Undelayed);
        }

        await channel.BasicRejectAsync(tag, requeue: true).ConfigureAwait(false); // newer brokers count a reject as a try, but not a nack
    }

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

    private async Task RunAsync(DeliveryLoop loop, Task earlier)
    {
        try
        {
            await loop.RunAsync(earlier).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            inbox.Reports.ReportFailure(default, 0, e);
            Interrupt(Reason.Of(e));
        }
    }

    /// <returns>A task that completes when the next delivery may be handled.</returns>
    private Task HandleAsync(Delivery delivery)
    {
        if (IsGivenBack || _running?.TryBegin(in delivery, Environment.TickCount64) == false)
        {
            delivery.Free();
            _intake.End();
            return Task.CompletedTask;
        }

        PendingDelivery? pending = null;
        var worst = Handlers.Deliver(in delivery, ref pending);
        if (_running is null)
            delivery.Free(); // an at-most-once message is not delayed for another try
        if (!delivery.IsRedelivered && _intake.IsCareful)
            _ = WidenAsync();
        if (pending is null)
        {
            var settled = SettleAsync(delivery.Tag, worst, delivery.From.Tries, wasPending: false);
            return worst == Outcome.Again && _retries is not null ? Task.CompletedTask : settled; // the next delivery does not wait for the confirmation of a delayed message
        }

        _ = pending.EndAsync(worst); // the next delivery does not wait for the end of this delivery
        return Task.CompletedTask;
    }

    /// <summary>Returns whether the first handler of a redelivered message still runs here, or ended after its channel was closed. The message is not handled again.</summary>
    private bool TryJoin(in Delivery delivery, out Task settled)
    {
        settled = Task.CompletedTask;
        var (tag, tries) = (delivery.Tag, delivery.From.Tries);
        if (!subscription.Abandoned.TryJoin(delivery.From, new Redelivery(this, tag, tries), out var ended))
            return false;
        inbox.Reports.Count(RabbitCounter.RedeliveriesJoined);
        _ = WidenAsync(); // the running handler must not delay other messages
        if (ended is { } outcome)
            settled = SettleAsync(tag, outcome, tries, wasPending: false);
        return true;
    }

    private void OnShutdown(ShutdownEventArgs reason)
    {
        _loop?.Complete();
        if (_retries is not null) // no delivery of the closed channel can be acknowledged
            _ = _retries.DisposeAsync().AsTask().ContinueWith(static late => late.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
        if (!link.Consuming.IsOpen)
        {
            TryAbandon(); // before the next connection receives the messages again
            link.Lose(reason.ReplyText);
        }
        else if (reason.Initiator != ShutdownInitiator.Application)
            Interrupt(reason.ReplyText);
    }

    /// <summary>Restarts this subscription after the broker ended the subscription but not the connection.</summary>
    private void Interrupt(string reason)
    {
        if (TryAbandon() && !link.IsLost)
            subscription.Restart(link, channel, reason);
    }

    /// <summary>Keeps the running handlers for the subscription, so that a redelivery of their messages joins them. Each end of the channel or of the connection calls this method.</summary>
    /// <returns><c>false</c> if it was called before.</returns>
    private bool TryAbandon()
    {
        if (Interlocked.Exchange(ref _isInterrupted, 1) != 0)
            return false;
        subscription.Abandoned.Leave(this);
        _running?.Abandon();
        _loop?.Complete();
        _intake.Abandon();
        return true;
    }
}

/// <summary>Handles the deliveries of a consumer, one after the other, outside the client library.</summary>
/// <remarks>
/// When the broker closes a channel, the client stops reading from the connection until the running callback of the channel has ended. A handler
/// that the client called would therefore stop every subscription and every request of the host. The prefetch bounds the number of waiting deliveries.
/// </remarks>
/// <param name="handle">Handles a delivery. The next delivery waits for the returned task.</param>
internal sealed class DeliveryLoop(Func<Delivery, Task> handle)
{
    private readonly Channel<Delivery> _waiting = Channel.CreateUnbounded<Delivery>(new UnboundedChannelOptions { SingleReader = true });

    /// <summary>Adds a delivery. The body is copied, because the client reuses its memory.</summary>
    /// <returns><c>false</c> if the loop is completed, so that the delivery is not handled; otherwise, <c>true</c>.</returns>
    public bool TryAdd(in Delivery delivery)
    {
        var copy = delivery.Copy();
        if (_waiting.Writer.TryWrite(copy))
            return true;
        copy.Free();
        return false;
    }

    /// <summary>Ends the loop after the waiting deliveries.</summary>
    public void Complete() => _waiting.Writer.TryComplete();

    /// <summary>Handles deliveries until the loop is completed.</summary>
    /// <param name="earlier">The end of the deliveries that are handled first.</param>
    public async Task RunAsync(Task earlier)
    {
        await earlier.ConfigureAwait(false);
        while (await _waiting.Reader.WaitToReadAsync().ConfigureAwait(false))
        {
            while (_waiting.Reader.TryRead(out var delivery))
                await handle(delivery).ConfigureAwait(false);
        }
    }
}
