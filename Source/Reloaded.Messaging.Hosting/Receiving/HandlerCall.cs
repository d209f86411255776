using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Calls a message's handler: what it throws is caught, counted, reported and answered here, and nowhere else.</summary>
internal static class HandlerCall
{
    public static HandlerOutcome Run(MessageHost host, ReadOnlySpan<byte> message, in MessageHeader header, MessageContext delivery)
    {
        ValueTask<DispatchStatus> call;
        try
        {
            if (!host.MayBeAsync(header.Type) && host.Dispatcher.Dispatch(message, ref delivery) is var status and not DispatchStatus.HandlerIsAsync)
                return Finish(header.Type, delivery, status); // of the others, one was registered since
            call = host.Dispatcher.DispatchAsync(message, delivery, delivery.Peer.Ended);
        }
        catch (Exception e)
        {
            Fail(host, header.Type, delivery, e);
            return HandlerOutcome.Done;
        }

        if (call.IsCompletedSuccessfully)
            return Finish(header.Type, delivery, call.Result);
        var running = Interlocked.Increment(ref delivery.Peer.RunningHandlers);
        _ = ObserveAsync(host, call, header.Type, delivery);
        return running > host.Options.Limits.MaxRunningHandlers ? HandlerOutcome.TooManyRunning : HandlerOutcome.Done;
    }

    private static async Task ObserveAsync(MessageHost host, ValueTask<DispatchStatus> call, uint type, MessageContext delivery)
    {
        try
        {
            await call.ConfigureAwait(false);
        }
        catch (Exception e)
        {
            Fail(host, type, delivery, e);
        }
        finally
        {
            Interlocked.Decrement(ref delivery.Peer.RunningHandlers);
        }
    }

    private static HandlerOutcome Finish(uint type, MessageContext delivery, DispatchStatus status)
    {
        switch (status)
        {
            case DispatchStatus.Handled or DispatchStatus.HandledByFallback:
                return HandlerOutcome.Done;
            case DispatchStatus.NoHandler:
                Refuse(type, delivery, FaultCode.NoHandler, "Nobody here handles requests of this type.");
                return HandlerOutcome.Done;
            default:
                Refuse(type, delivery, FaultCode.InvalidRequest, "The request can't be read.");
                return HandlerOutcome.Malformed;
        }
    }

    private static void Refuse(uint type, MessageContext delivery, FaultCode code, string text)
    {
        if (delivery.Kind == MessageKind.Request)
            delivery.Peer.SendFault(type, delivery.CorrelationId, code, text);
    }

    private static void Fail(MessageHost host, uint type, MessageContext delivery, Exception exception)
    {
        // A fault that the handler threw is an answer, and no failure. A fault that another peer sent may hold that peer's secrets: like any other
        // exception it is reported here in full, and to the requester without its text.
        switch (exception)
        {
            case RequestFaultException { IsRemote: false } fault when delivery.Kind == MessageKind.Request:
                Refuse(type, delivery, fault.Code, fault.Message);
                break;
            case OperationCanceledException when !delivery.Peer.IsConnected:
                break; // it was told to stop: there is nobody to answer
            default:
                host.ReportFailure(delivery.Peer, type, exception);
                Refuse(type, delivery, FaultCode.HandlerFailed, "The request's handler failed.");
                break;
        }
    }
}
