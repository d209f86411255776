using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>Calls the handler of a received message, and counts the running handlers of a peer.</summary>
internal static class MessageHandling
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static HandlerOutcome Run(MessageHost host, in ReceivedMessage message, MessageContext context) =>
        MessageOperation.IsObserved ? RunObserved(host, in message, context) : Call(host, in message, context);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static HandlerOutcome Call(MessageHost host, in ReceivedMessage message, MessageContext context)
    {
        // The first asynchronous handler may be registered between the two checks.
        var handlers = host.Handlers;
        if (!handlers.MayBeAsync(context.Type) && HandlerInvoker.TryInvoke(handlers.Dispatcher, in message.Header, message.HeaderSize, message.Bytes, context.Type, ref context, out var outcome))
            return outcome;
        return Start(host, in message, context);
    }

    /// <summary>Calls the handler with a span and a measured duration.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static HandlerOutcome RunObserved(MessageHost host, in ReceivedMessage message, MessageContext context)
    {
        var trace = context.Trace ?? new HandlingTrace(null);
        trace.Enter(host, in context);
        try
        {
            var outcome = Call(host, in message, context with { Trace = trace });
            if (!trace.IsDeferred)
                trace.End(outcome);
            return outcome;
        }
        finally
        {
            trace.Leave();
        }
    }

    private static HandlerOutcome Start(MessageHost host, in ReceivedMessage message, MessageContext context)
    {
        var outcome = HandlerInvoker.Start(host.Dispatcher, in message.Header, message.HeaderSize, message.Bytes, context.Type, ref context, context.Peer.Connection.Ended, out var running);
        if (running is not { } call)
            return outcome;
        context.Trace?.Defer();
        var count = context.Peer.NoteHandlerStarted();
        _ = ObserveAsync(call, context);
        return count >= host.Options.Limits.MaxRunningHandlers ? HandlerOutcome.TooManyRunning : HandlerOutcome.Done;
    }

    private static async Task ObserveAsync(ValueTask<DispatchStatus> call, MessageContext context)
    {
        try
        {
            await call.ConfigureAwait(false);
        }
        catch (Exception e)
        {
            HandlerInvoker.Fail(context.Type, ref context, e);
        }
        finally
        {
            context.Peer.NoteHandlerEnded();
            context.Trace?.End(HandlerOutcome.Done);
        }
    }
}
