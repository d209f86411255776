using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Calls the handler of a peer's message, and bounds the peer's handlers that run.</summary>
internal static class HandlerCall
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static HandlerOutcome Run(MessageHost host, ReadOnlySpan<byte> message, in MessageHeader header, MessageContext context)
    {
        // The first asynchronous handler may be registered in between.
        if (!host.MayBeAsync(header.Type) && HandlerInvoker.TryInvoke(host.Dispatcher, message, header.Type, ref context, out var outcome))
            return outcome;
        return Start(host, message, header.Type, context);
    }

    private static HandlerOutcome Start(MessageHost host, ReadOnlySpan<byte> message, uint type, MessageContext context)
    {
        var outcome = HandlerInvoker.Start(host.Dispatcher, message, type, ref context, context.Peer.Connection.Ended, out var running);
        if (running is not { } call)
            return outcome;
        var count = Interlocked.Increment(ref context.Peer.RunningHandlers);
        _ = ObserveAsync(call, type, context);
        return count > host.Options.Limits.MaxRunningHandlers ? HandlerOutcome.TooManyRunning : HandlerOutcome.Done;
    }

    private static async Task ObserveAsync(ValueTask<DispatchStatus> call, uint type, MessageContext context)
    {
        try
        {
            await call.ConfigureAwait(false);
        }
        catch (Exception e)
        {
            HandlerInvoker.Fail(type, ref context, e);
        }
        finally
        {
            Interlocked.Decrement(ref context.Peer.RunningHandlers);
        }
    }
}
