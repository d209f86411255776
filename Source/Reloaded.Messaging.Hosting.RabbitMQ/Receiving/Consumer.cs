using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Receives from one queue over one channel. Messages are passed to handlers from the client's memory, one delivery after the other.</summary>
/// <remarks>
/// The channel's prefetch bounds the number of deliveries that are not settled, so a slow handler leaves the remaining messages at the broker.
/// Without the prefetch, the client would take any number. An exception of a handler never ends a consumer.
/// </remarks>
internal sealed class Consumer(Inbox inbox, BrokerConnection link, IChannel channel, Subscription subscription, DeclaredQueue queue) : IAsyncBasicConsumer
{
    private readonly Intake _intake = new(link, channel, inbox.Names, queue.Name, subscription.Queue);
    private readonly AckWindow? _window = subscription.Queue.IsOwn ? new AckWindow(channel, Math.Max(1, subscription.Queue.Prefetch / 4)) : null;
    private readonly DeadLetters? _dead = queue.Dead is null ? null : new DeadLetters(inbox, link, subscription, queue.Dead, queue.DeadCount);

    /// <summary>The scope of deliveries that are acknowledged when the messages that their handlers published are confirmed.</summary>
    private SynchronousDelivery? _synchronous;
    private int _isInterrupted;

    public IChannel Channel => channel;

    private bool IsKept => subscription.Queue is { Role: ConsumerRole.Events, Kind: DeliveryKind.AtLeastOnce };

    /// <summary>Whether the broker delivers the received messages again. Handling them here would only delay the end of the channel.</summary>
    private bool IsGivenBack => (link.IsLost || !channel.IsOpen) && (inbox.IsDisposed || subscription.Kind == DeliveryKind.AtLeastOnce);

    /// <summary>Starts to receive.</summary>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        await _intake.StartAsync(this, cancellationToken).ConfigureAwait(false);
        if (_intake.IsCareful)
            _ = LosePatienceAsync();
    }

    /// <summary>Stops receiving, and waits for the handlers of the received messages.</summary>
    /// <param name="limit">Ends the wait.</param>
    public Task<bool> StopAsync(CancellationToken limit) => _intake.StopAsync(limit);

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
        _intake.Begin();
        if (redelivered && subscription.Kind == DeliveryKind.AtMostOnce)
        {
            inbox.Reports.Count(RabbitCounter.RedeliveriesDropped);
            return SettleAsync(deliveryTag, Outcome.Done, tries: 1, wasPending: false);
        }

        PendingDelivery? pending = null;
        var origin = OriginReader.Read(redelivered, exchange, routingKey, properties, inbox.Names.AtLeastOnce);
        var worst = Deliver(deliveryTag, origin, properties.Type == TopologyNames.Batch, body.Span, ref pending);
        if (!redelivered && _intake.IsCareful)
            _ = WidenAsync();
        if (pending is null)
            return SettleAsync(deliveryTag, worst, origin.Tries, wasPending: false);
        _ = pending.EndAsync(worst); // the next delivery does not wait for the end of this delivery
        return Task.CompletedTask;
    }

    public Task HandleBasicCancelAsync(string consumerTag, CancellationToken cancellationToken = default)
    {
        Interrupt("The queue was deleted.");
        return Task.CompletedTask;
    }

    public Task HandleBasicCancelOkAsync(string consumerTag, CancellationToken cancellationToken = default)
    {
        _intake.NoteCanceled();
        return Task.CompletedTask;
    }

    public Task HandleBasicConsumeOkAsync(string consumerTag, CancellationToken cancellationToken = default) => Task.CompletedTask;

    public Task HandleChannelShutdownAsync(object channel, ShutdownEventArgs reason)
    {
        if (!link.Consuming.IsOpen)
            link.Lose(reason.ReplyText);
        else
            Interrupt(reason.ReplyText);
        return Task.CompletedTask;
    }

    /// <summary>Reports the outcome of a delivery to the broker.</summary>
    public async Task SettleAsync(ulong tag, Outcome outcome, int tries, bool wasPending)
    {
        try
        {
            if (_window is not null)
                await _window.EndAsync(tag, wasPending).ConfigureAwait(false);
            else
                await AnswerAsync(tag, outcome, isLast: tries >= subscription.Queue.MaxTries && !inbox.IsStopping).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            inbox.Reports.Count(RabbitCounter.Unacknowledged); // the broker delivers it again
            if (e is not (AlreadyClosedException or OperationInterruptedException or ObjectDisposedException))
                link.Lose(Reason.Of(e)); // the connection cannot be used any more
        }
        finally
        {
            _intake.End();
        }
    }

    private ValueTask AnswerAsync(ulong tag, Outcome outcome, bool isLast)
    {
        switch (subscription.Kind == DeliveryKind.AtMostOnce ? Outcome.Done : outcome)
        {
            case Outcome.Done:
                return channel.BasicAckAsync(tag, multiple: false);
            case Outcome.Again when !isLast:
                inbox.Reports.Count(RabbitCounter.Retried);
                return channel.BasicRejectAsync(tag, requeue: true); // newer brokers count a reject as a try, but not a nack
            default:
                inbox.Reports.Count(RabbitCounter.DeadLettered);
                _dead?.Note();
                return channel.BasicRejectAsync(tag, requeue: false);
        }
    }

    /// <summary>Returns the outcome of the delivery of a message after the call of its handler.</summary>
    public Outcome OutcomeOf(HandlerOutcome outcome)
    {
        if (outcome == HandlerOutcome.Malformed)
            inbox.Reports.Count(RabbitCounter.Malformed);
        return outcome switch
        {
            HandlerOutcome.Done => Outcome.Done,
            HandlerOutcome.Failed => Outcome.Again,
            _ => Outcome.Dead,
        };
    }

    private Outcome Deliver(ulong tag, Origin origin, bool isBatch, ReadOnlySpan<byte> body, ref PendingDelivery? pending)
    {
        if (!isBatch)
        {
            NoteNumbers(in origin, 1);
            return Run(tag, body, in origin, ref pending);
        }

        NoteNumbers(in origin, 1); // a gap is reported before the message that revealed it is handled
        var (worst, first, count) = (Outcome.Done, origin.Number, 0);
        while (!body.IsEmpty)
        {
            if (Frame.TryRead(ref body, inbox.Options.MessageLimits.MaxMessageSize, out var message) != FrameStatus.Ok)
            {
                inbox.Reports.Count(RabbitCounter.Malformed); // the rest of the batch cannot be read either, because its frames cannot be found
                worst = Max(worst, Outcome.Dead);
                break;
            }

            worst = Max(worst, Run(tag, message, origin with { Number = first + (ulong)count++ }, ref pending));
        }

        if (count > 1)
            NoteNumbers(origin with { Number = first + 1 }, count - 1);
        return worst;
    }

    private Outcome Run(ulong tag, ReadOnlySpan<byte> message, in Origin from, ref PendingDelivery? pending)
    {
        if (MessageHeader.TryRead(message, out var header, out var size) != HeaderStatus.Ok)
        {
            inbox.Reports.Count(RabbitCounter.Malformed);
            return Outcome.Dead;
        }

        switch (header.Kind)
        {
            case MessageKind.Reply or MessageKind.Fault when subscription.Queue.Role == ConsumerRole.Replies:
                inbox.Requests.EndRequest(in header, message.Slice(size));
                return Outcome.Done;
            case MessageKind.Event when subscription.Queue.Role == ConsumerRole.Events:
            case MessageKind.Request when subscription.Queue.Role == ConsumerRole.Requests:
                break;
            default:
                inbox.Reports.Count(RabbitCounter.Malformed);
                return Outcome.Dead;
        }

        if (from.IsRepeated)
            inbox.Reports.Count(RabbitCounter.Repeated);
        var incoming = new Incoming(inbox, from, header.Kind, header.CorrelationId);

        // The first asynchronous handler may be registered between the two checks.
        if (!inbox.Handlers.HasAsyncHandlers && TryInvoke(tag, message, header.Type, ref incoming, ref pending, out var outcome))
            return OutcomeOf(outcome);
        if (IsKept)
            pending ??= new PendingDelivery(this, tag, from.Tries);
        outcome = Start(message, header.Type, ref incoming, IsKept ? pending : null, out var running);
        if (running is not { } call)
            return OutcomeOf(outcome);
        if (pending is null)
        {
            pending = new PendingDelivery(this, tag, from.Tries);
            _window?.Begin();
        }

        pending.Add();
        _ = pending.ObserveAsync(call, header.Type, incoming);
        return Outcome.Done;
    }

    private bool TryInvoke(ulong tag, ReadOnlySpan<byte> message, uint type, ref Incoming incoming, ref PendingDelivery? pending, out HandlerOutcome outcome)
    {
        if (!IsKept)
            return HandlerInvoker.TryInvoke(inbox.Handlers.Dispatcher, message, type, ref incoming, out outcome);
        var synchronous = _synchronous ??= new SynchronousDelivery(this);
        synchronous.Begin(tag, incoming.From.Tries, pending);
        HandlerScope.Enter(synchronous);
        try
        {
            return HandlerInvoker.TryInvoke(inbox.Handlers.Dispatcher, message, type, ref incoming, out outcome);
        }
        finally
        {
            HandlerScope.Enter(null);
            pending = synchronous.End();
        }
    }

    private HandlerOutcome Start(ReadOnlySpan<byte> message, uint type, ref Incoming incoming, PendingDelivery? pending, out ValueTask<DispatchStatus>? running)
    {
        if (pending is null)
            return HandlerInvoker.Start(inbox.Handlers.Dispatcher, message, type, ref incoming, inbox.Disposed, out running);
        HandlerScope.EnterAsync(pending);
        try
        {
            return HandlerInvoker.Start(inbox.Handlers.Dispatcher, message, type, ref incoming, inbox.Disposed, out running);
        }
        finally
        {
            HandlerScope.EnterAsync(null);
        }
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
            return; // the connection is lost
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

    /// <summary>Restarts this subscription after the broker ended the subscription but not the connection.</summary>
    private void Interrupt(string reason)
    {
        if (!link.IsLost && Interlocked.Exchange(ref _isInterrupted, 1) == 0)
            subscription.Restart(link, channel, reason);
    }

    private void NoteNumbers(in Origin from, int count)
    {
        if (subscription.Gaps is { } gaps && from.Number > 0 && gaps.Note(from.Sender, from.Topic, from.Number, count) is > 0 and var missed)
            inbox.Reports.ReportGap(new RabbitGap(from.Sender, from.Topic, from.Number - (ulong)missed, missed));
    }

    private static Outcome Max(Outcome one, Outcome other) => one > other ? one : other;
}
