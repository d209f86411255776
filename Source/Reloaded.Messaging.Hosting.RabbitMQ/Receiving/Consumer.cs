using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Dispatching;
using Reloaded.Messaging.Hosting.RabbitMQ.Links;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ.Receiving;

/// <summary>Receives from one queue over one channel: messages go to handlers from the client's own memory, one delivery after the other.</summary>
/// <remarks>
/// What is taken and not settled is bounded by the channel's prefetch, so a slow handler leaves the rest with the broker; the client itself
/// would take any number. No exception of a handler ends a consumer.
/// </remarks>
internal sealed class Consumer(RabbitHost host, Link link, IChannel channel, Subscription subscription) : IAsyncBasicConsumer
{
    private readonly AckWindow? _window = subscription.IsOwn ? new AckWindow(channel, Math.Max(1, host.Options.Prefetch / 4)) : null;

    /// <summary>For deliveries that are acknowledged when what their handlers published is confirmed.</summary>
    private SynchronousDelivery? _synchronous;

    public IChannel Channel => channel;

    private bool IsKept => subscription is { Role: ConsumerRole.Events, Kind: DeliveryKind.AtLeastOnce };

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
        if (redelivered && subscription.Kind == DeliveryKind.AtMostOnce)
        {
            host.CountRedeliveryDropped();
            return SettleAsync(deliveryTag, Outcome.Done, wasPending: false);
        }

        PendingDelivery? pending = null;
        var worst = Deliver(deliveryTag, Describe(redelivered, routingKey, properties), properties.Type == Names.Batch, body.Span, ref pending);
        if (pending is null)
            return SettleAsync(deliveryTag, worst, wasPending: false);
        _ = pending.EndAsync(worst); // whatever it has to wait for, the next delivery need not
        return Task.CompletedTask;
    }

    public Task HandleBasicCancelAsync(string consumerTag, CancellationToken cancellationToken = default)
    {
        link.Lose($"The broker ended the subscription to {subscription}: its queue is gone.");
        return Task.CompletedTask;
    }

    public Task HandleBasicCancelOkAsync(string consumerTag, CancellationToken cancellationToken = default) => Task.CompletedTask;

    public Task HandleBasicConsumeOkAsync(string consumerTag, CancellationToken cancellationToken = default) => Task.CompletedTask;

    public Task HandleChannelShutdownAsync(object channel, ShutdownEventArgs reason)
    {
        if (!subscription.IsDisposed)
            link.Lose(reason.ReplyText);
        return Task.CompletedTask;
    }

    /// <summary>Tells the broker what became of a delivery.</summary>
    public async Task SettleAsync(ulong tag, Outcome outcome, bool wasPending)
    {
        try
        {
            if (_window is not null)
            {
                await _window.EndAsync(tag, wasPending).ConfigureAwait(false);
                return;
            }

            switch (subscription.Kind == DeliveryKind.AtMostOnce ? Outcome.Done : outcome)
            {
                case Outcome.Done:
                    await channel.BasicAckAsync(tag, multiple: false).ConfigureAwait(false);
                    break;
                case Outcome.Again:
                    host.CountRetried();
                    await channel.BasicNackAsync(tag, multiple: false, requeue: true).ConfigureAwait(false);
                    break;
                default:
                    host.CountDeadLettered();
                    await channel.BasicNackAsync(tag, multiple: false, requeue: false).ConfigureAwait(false);
                    break;
            }
        }
        catch (Exception e) when (e is AlreadyClosedException or OperationInterruptedException or ObjectDisposedException || link.IsLost)
        {
            host.CountUnacknowledged(); // the broker hands it out again
        }
    }

    /// <summary>A handler threw: reported here in full, and to a requester without its text.</summary>
    public Outcome Fail(uint type, in Incoming incoming, Exception exception)
    {
        switch (exception)
        {
            case RequestFaultException { IsRemote: false } fault when incoming.Kind == MessageKind.Request:
                host.SendFault(type, in incoming, fault.Code, fault.Message);
                return Outcome.Done;
            case OperationCanceledException when host.IsDisposed:
                return Outcome.Again;
            default:
                host.ReportFailure(incoming.From, type, exception);
                if (incoming.Kind == MessageKind.Request)
                    host.SendFault(type, in incoming, FaultCode.HandlerFailed, "The request's handler failed.");
                return Outcome.Again;
        }
    }

    private Outcome Deliver(ulong tag, Origin origin, bool isBatch, ReadOnlySpan<byte> body, ref PendingDelivery? pending)
    {
        if (!isBatch)
        {
            NoteNumbers(in origin, 1);
            return Run(tag, body, in origin, ref pending);
        }

        NoteNumbers(in origin, 1); // a gap is told before what showed it is handled
        var (worst, first, count) = (Outcome.Done, origin.Number, 0);
        while (!body.IsEmpty)
        {
            if (Frame.TryRead(ref body, host.Options.Limits.Messages.MaxMessageSize, out var message) != FrameStatus.Ok)
            {
                host.CountMalformed(); // and so is whatever would follow: nobody knows where it begins
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
            host.CountMalformed();
            return Outcome.Dead;
        }

        switch (header.Kind)
        {
            case MessageKind.Reply or MessageKind.Fault when subscription.Role == ConsumerRole.Replies:
                host.EndRequest(in header, message.Slice(size));
                return Outcome.Done;
            case MessageKind.Event when subscription.Role == ConsumerRole.Events:
            case MessageKind.Request when subscription.Role == ConsumerRole.Requests:
                break;
            default:
                host.CountMalformed();
                return Outcome.Dead;
        }

        if (from.IsRepeated)
            host.CountRepeated();
        var incoming = new Incoming(from, header.Kind, header.CorrelationId);
        try
        {
            // The first asynchronous handler may be registered in between.
            if (!host.HasAsyncHandlers && Dispatch(tag, message, ref incoming, ref pending) is var status and not DispatchStatus.HandlerIsAsync)
                return Finish(header.Type, in incoming, status);
            if (IsKept)
                pending ??= new PendingDelivery(this, tag);
            var call = DispatchAsync(message, in incoming, IsKept ? pending : null);
            if (call.IsCompletedSuccessfully)
                return Finish(header.Type, in incoming, call.Result);
            if (pending is null)
            {
                pending = new PendingDelivery(this, tag);
                _window?.Begin();
            }

            pending.Add();
            _ = pending.ObserveAsync(call, header.Type, incoming);
            return Outcome.Done;
        }
        catch (Exception e)
        {
            return Fail(header.Type, in incoming, e);
        }
    }

    private DispatchStatus Dispatch(ulong tag, ReadOnlySpan<byte> message, ref Incoming incoming, ref PendingDelivery? pending)
    {
        if (!IsKept)
            return host.Dispatcher.Dispatch(message, ref incoming);
        var synchronous = _synchronous ??= new SynchronousDelivery(this);
        synchronous.Begin(tag, pending);
        HandlerScope.Enter(synchronous);
        try
        {
            return host.Dispatcher.Dispatch(message, ref incoming);
        }
        finally
        {
            HandlerScope.Enter(null);
            pending = synchronous.End();
        }
    }

    private ValueTask<DispatchStatus> DispatchAsync(ReadOnlySpan<byte> message, in Incoming incoming, PendingDelivery? pending)
    {
        if (pending is null)
            return host.Dispatcher.DispatchAsync(message, incoming, host.Disposed);
        HandlerScope.EnterAsync(pending);
        try
        {
            return host.Dispatcher.DispatchAsync(message, incoming, host.Disposed);
        }
        finally
        {
            HandlerScope.EnterAsync(null);
        }
    }

    private Outcome Finish(uint type, in Incoming incoming, DispatchStatus status)
    {
        var isRequest = incoming.Kind == MessageKind.Request;
        switch (status)
        {
            case DispatchStatus.Handled or DispatchStatus.HandledByFallback:
                return Outcome.Done;
            case DispatchStatus.NoHandler:
                if (isRequest)
                    host.SendFault(type, in incoming, FaultCode.NoHandler, "Nobody here handles requests of this type.");
                return Outcome.Dead;
            default:
                host.CountMalformed();
                if (isRequest)
                    host.SendFault(type, in incoming, FaultCode.InvalidRequest, "The request can't be read.");
                return Outcome.Dead;
        }
    }

    private static Origin Describe(bool redelivered, string topic, IReadOnlyBasicProperties properties)
    {
        var (isRepeated, tries) = (redelivered, redelivered ? 2 : 1);
        if (properties.Headers is { Count: > 0 } headers)
        {
            isRepeated |= headers.ContainsKey(Names.RepeatedHeader);
            if (headers.TryGetValue("x-delivery-count", out var value) && value is long count and > 0 and < int.MaxValue)
                tries = (int)count + 1;
        }

        var number = properties.IsTimestampPresent() && properties.Timestamp.UnixTime > 0 ? (ulong)properties.Timestamp.UnixTime : 0;
        return new Origin(properties.AppId ?? "", topic, number, isRepeated, tries);
    }

    private void NoteNumbers(in Origin from, int count)
    {
        if (subscription.Gaps is { } gaps && from.Number > 0 && gaps.Note(from.Sender, from.Topic, from.Number, count) is > 0 and var missed)
            host.ReportGap(new RabbitGap(from.Sender, from.Topic, from.Number - (ulong)missed, missed));
    }

    private static Outcome Max(Outcome one, Outcome other) => one > other ? one : other;
}
