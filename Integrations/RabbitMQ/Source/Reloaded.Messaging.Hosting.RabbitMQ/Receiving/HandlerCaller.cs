using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Passes the messages of a consumer to the handlers of the host.</summary>
/// <param name="inbox">The handlers.</param>
/// <param name="settlement">Settles the deliveries.</param>
/// <param name="subscription">The subscription.</param>
internal sealed class HandlerCaller(Inbox inbox, Settlement settlement, Subscription subscription)
{
    /// <summary>Calls the handlers of a delivery.</summary>
    /// <returns>The outcome of the messages whose handlers have ended. The delivery waits for the others.</returns>
    public Outcome Call(Delivery delivery)
    {
        var worst = CallAll(delivery);
        EndCall(delivery);
        return worst;
    }

    private Outcome CallAll(Delivery delivery)
    {
        var origin = delivery.From;
        var body = delivery.Body;
        NoteNumbers(in origin, 1); // a gap is reported before the message that revealed it is handled
        if (!delivery.IsBatch)
            return Run(delivery, body, in origin);

        var (worst, first, count) = (Outcome.Done, origin.Number, 0);
        while (!body.IsEmpty)
        {
            var rest = body.Span;
            if (Frame.TryRead(ref rest, inbox.Options.MessageLimits.MaxMessageSize, out var message) != FrameStatus.Ok)
            {
                worst = Max(worst, Malformed(in origin, 0, "The rest of its batch has no frames.")); // so it cannot be read either
                break;
            }

            var end = body.Length - rest.Length;
            worst = Max(worst, Run(delivery, body[(end - message.Length)..end], origin with { Number = first + (ulong)count++ }));
            body = body[end..];
        }

        if (count > 1)
            NoteNumbers(origin with { Number = first + 1 }, count - 1);
        return worst;
    }

    /// <summary>Records that a handler of a delivery has ended, and gives its place to the next message.</summary>
    private void EndCall(Delivery delivery)
    {
        if (delivery.EndCall())
            subscription.EndHandlers();
    }

    /// <summary>Returns the outcome of the delivery of a message after the end of its handler.</summary>
    private Outcome OutcomeOf(HandlerOutcome outcome, uint type, in Incoming incoming, HandlerOperation? operation)
    {
        operation?.End(outcome == HandlerOutcome.Done ? null : outcome.ToString());
        switch (outcome)
        {
            case HandlerOutcome.Done:
                return Outcome.Done;
            case HandlerOutcome.Failed:
                return Outcome.Again;
            case HandlerOutcome.Malformed:
                return Malformed(incoming.From, type, "The contract of this host cannot read it.");
            default:
                return Dead(incoming.From, type, "This host has no handler of its type.");
        }
    }

    private Outcome Malformed(in Origin from, uint type, string reason)
    {
        inbox.Reports.Count(RabbitCounter.Malformed);
        return Dead(in from, type, reason);
    }

    /// <summary>Reports a message that becomes a dead letter without a try. An at-most-once message is counted only.</summary>
    private Outcome Dead(in Origin from, uint type, string reason)
    {
        if (subscription.IsKept)
            inbox.Reports.ReportFailure(from, type, new InvalidOperationException($"The message becomes a dead letter. {reason}"));
        return Outcome.Dead;
    }

    private Outcome Run(Delivery delivery, ReadOnlyMemory<byte> body, in Origin from)
    {
        var message = body.Span;
        if (MessageHeader.TryRead(message, out var header, out var size) != HeaderStatus.Ok)
            return Malformed(in from, 0, "It has no header of this library.");

        switch (header.Kind)
        {
            case MessageKind.Reply or MessageKind.Fault when subscription.Queue.Role == ConsumerRole.Replies:
                inbox.Requests.EndRequest(in header, message.Slice(size));
                return Outcome.Done;
            case MessageKind.Event when subscription.Queue.Role == ConsumerRole.Events:
            case MessageKind.Request when subscription.Queue.Role == ConsumerRole.Requests:
                break;
            default:
                return Malformed(in from, header.Type, $"Its kind is {header.Kind}.");
        }

        if (from.IsRepeated)
            inbox.Reports.Count(RabbitCounter.Repeated);
        var incoming = new Incoming(inbox, from, header.Kind, header.CorrelationId);

        if (InstrumentSet.Published is not { ObservesHandlers: true })
            return Handle(delivery, body, header.Type, ref incoming, operation: null);
        var operation = new HandlerOperation(inbox, subscription.Queue, delivery, in from, in header);
        var outcome = Handle(delivery, body, header.Type, ref incoming, operation);
        operation.Leave();
        return outcome;
    }

    /// <summary>Calls the handler of a message, with the filter of the subscription if there is one.</summary>
    private Outcome Handle(Delivery delivery, ReadOnlyMemory<byte> body, uint type, ref Incoming incoming, HandlerOperation? operation)
    {
        if (subscription.Queue.Filter is { } filter)
        {
            Continue(delivery);
            _ = FilterAsync(filter, delivery, body, type, incoming, operation);
            return Outcome.Done;
        }

        // The first asynchronous handler may be registered between the two checks.
        var message = body.Span;
        if (!inbox.Handlers.HasAsyncHandlers && TryInvoke(delivery, message, type, ref incoming, out var outcome))
            return OutcomeOf(outcome, type, in incoming, operation);
        outcome = Start(delivery, message, type, ref incoming, out var running);
        if (running is not { } call)
            return OutcomeOf(outcome, type, in incoming, operation);
        Continue(delivery);
        _ = ObserveAsync(delivery, call, type, incoming, operation);
        return Outcome.Done;
    }

    /// <summary>Records that a handler of a delivery continues while other deliveries are handled.</summary>
    private void Continue(Delivery delivery)
    {
        if (!delivery.IsShared)
        {
            delivery.Share();
            settlement.Defer();
        }

        delivery.Add();
    }

    private bool TryInvoke(Delivery delivery, ReadOnlySpan<byte> message, uint type, ref Incoming incoming, out HandlerOutcome outcome)
    {
        if (!subscription.IsKept)
            return HandlerInvoker.TryInvoke(inbox.Handlers.Dispatcher, message, type, ref incoming, out outcome);
        HandlerScope.Enter(delivery);
        try
        {
            return HandlerInvoker.TryInvoke(inbox.Handlers.Dispatcher, message, type, ref incoming, out outcome);
        }
        finally
        {
            HandlerScope.Enter(null);
        }
    }

    private HandlerOutcome Start(Delivery delivery, ReadOnlySpan<byte> message, uint type, ref Incoming incoming, out ValueTask<DispatchStatus>? running)
    {
        if (!subscription.IsKept)
            return HandlerInvoker.Start(inbox.Handlers.Dispatcher, message, type, ref incoming, inbox.HandlersEnd, out running);
        HandlerScope.EnterAsync(delivery);
        try
        {
            return HandlerInvoker.Start(inbox.Handlers.Dispatcher, message, type, ref incoming, inbox.HandlersEnd, out running);
        }
        finally
        {
            HandlerScope.EnterAsync(null);
        }
    }

    private async Task ObserveAsync(Delivery delivery, ValueTask<DispatchStatus> call, uint type, Incoming incoming, HandlerOperation? operation)
    {
        Outcome outcome;
        try
        {
            await call.ConfigureAwait(false);
            outcome = OutcomeOf(HandlerOutcome.Done, type, in incoming, operation);
        }
        catch (Exception e)
        {
            outcome = OutcomeOf(HandlerInvoker.Fail(type, ref incoming, e), type, in incoming, operation);
        }

        EndCall(delivery);
        await delivery.EndAsync(outcome).ConfigureAwait(false);
    }

    /// <summary>Runs the filter of the subscription around the handler of a message.</summary>
    private async Task FilterAsync(MessageFilter filter, Delivery delivery, ReadOnlyMemory<byte> message, uint type, Incoming incoming, HandlerOperation? operation)
    {
        Outcome outcome;
        var call = new FilteredCall(inbox, message, incoming);
        HandlerScope.EnterAsync(delivery); // until this method ends
        try
        {
            await filter(incoming.From, call.HandleAsync, inbox.HandlersEnd).ConfigureAwait(false);
            outcome = OutcomeOf(HandlerOutcome.Done, type, in incoming, operation);
            if (!call.IsCalled)
                inbox.Reports.Count(RabbitCounter.Filtered);
        }
        catch (UnhandledException e)
        {
            outcome = OutcomeOf(e.Outcome, type, in incoming, operation);
        }
        catch (Exception e)
        {
            outcome = OutcomeOf(HandlerInvoker.Fail(type, ref incoming, e), type, in incoming, operation);
        }

        EndCall(delivery);
        await delivery.EndAsync(outcome).ConfigureAwait(false);
    }

    private void NoteNumbers(in Origin from, int count)
    {
        if (subscription.Gaps is { } gaps && from.Number > 0 && gaps.Note(from.Sender, from.Topic, from.Number, count) is > 0 and var missed)
            inbox.Reports.ReportGap(new RabbitGap(from.Sender, from.Topic, from.Number - (ulong)missed, missed));
    }

    private static Outcome Max(Outcome one, Outcome other) => one > other ? one : other;

    /// <summary>The call of a handler, which a filter makes.</summary>
    private sealed class FilteredCall(Inbox inbox, ReadOnlyMemory<byte> message, Incoming incoming)
    {
        private int _calls;

        public bool IsCalled => Volatile.Read(ref _calls) != 0;

        public async ValueTask HandleAsync()
        {
            if (Interlocked.Exchange(ref _calls, 1) != 0)
                throw new InvalidOperationException("The filter has called the handler of the message before. Call it at most once.");
            var status = await inbox.Handlers.Dispatcher.DispatchAsync(message.Span, incoming, inbox.HandlersEnd).ConfigureAwait(false);
            if (status is not (DispatchStatus.Handled or DispatchStatus.HandledByFallback))
                throw new UnhandledException(status);
        }
    }

    /// <summary>Thrown through a filter when no handler has handled the message. The message becomes a dead letter.</summary>
    private sealed class UnhandledException(DispatchStatus status) : Exception($"The message was not handled: {status}. Let the exception leave the filter.")
    {
        public HandlerOutcome Outcome => status == DispatchStatus.NoHandler ? HandlerOutcome.NoHandler : HandlerOutcome.Malformed;
    }
}
