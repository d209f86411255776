using System;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Passes the messages of a consumer to the handlers of the host.</summary>
/// <param name="inbox">The handlers.</param>
/// <param name="consumer">Settles the deliveries.</param>
/// <param name="subscription">The subscription.</param>
/// <param name="window">The acknowledgements of an exclusive queue; <c>null</c> for other queues.</param>
internal sealed class HandlerCaller(Inbox inbox, Consumer consumer, Subscription subscription, AckWindow? window)
{
    /// <summary>The scope of deliveries that are acknowledged when the messages that their handlers published are confirmed.</summary>
    private SynchronousDelivery? _synchronous;

    private bool IsKept => subscription.IsKept;

    /// <summary>Calls the handlers of a delivery.</summary>
    /// <param name="delivery">The delivery.</param>
    /// <param name="pending">The delivery if it is not complete; otherwise, <c>null</c>.</param>
    /// <returns>The outcome of the messages whose handlers have ended.</returns>
    public Outcome Deliver(in Delivery delivery, ref PendingDelivery? pending)
    {
        var (tag, origin) = (delivery.Tag, delivery.From);
        var body = delivery.Body.Span;
        NoteNumbers(in origin, 1); // a gap is reported before the message that revealed it is handled
        if (!delivery.IsBatch)
            return Run(tag, body, in origin, ref pending);

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
            pending ??= new PendingDelivery(consumer, tag, from.Tries);
        outcome = Start(message, header.Type, ref incoming, IsKept ? pending : null, out var running);
        if (running is not { } call)
            return OutcomeOf(outcome);
        if (pending is null)
        {
            pending = new PendingDelivery(consumer, tag, from.Tries);
            window?.Begin();
        }

        pending.Add();
        _ = pending.ObserveAsync(call, header.Type, incoming);
        return Outcome.Done;
    }

    private bool TryInvoke(ulong tag, ReadOnlySpan<byte> message, uint type, ref Incoming incoming, ref PendingDelivery? pending, out HandlerOutcome outcome)
    {
        if (!IsKept)
            return HandlerInvoker.TryInvoke(inbox.Handlers.Dispatcher, message, type, ref incoming, out outcome);
        var synchronous = _synchronous ??= new SynchronousDelivery(consumer);
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
            return HandlerInvoker.Start(inbox.Handlers.Dispatcher, message, type, ref incoming, inbox.HandlersEnd, out running);
        HandlerScope.EnterAsync(pending);
        try
        {
            return HandlerInvoker.Start(inbox.Handlers.Dispatcher, message, type, ref incoming, inbox.HandlersEnd, out running);
        }
        finally
        {
            HandlerScope.EnterAsync(null);
        }
    }

    private void NoteNumbers(in Origin from, int count)
    {
        if (subscription.Gaps is { } gaps && from.Number > 0 && gaps.Note(from.Sender, from.Topic, from.Number, count) is > 0 and var missed)
            inbox.Reports.ReportGap(new RabbitGap(from.Sender, from.Topic, from.Number - (ulong)missed, missed));
    }

    private static Outcome Max(Outcome one, Outcome other) => one > other ? one : other;
}
