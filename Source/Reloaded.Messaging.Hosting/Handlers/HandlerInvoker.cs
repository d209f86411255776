using System;
using System.ComponentModel;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Calls the handlers of received messages, and reports and answers what they throw. For authors of hosts: see <see cref="HandlerTable{TFrom, TContext}"/>.</summary>
/// <remarks>Thread-safe. Contexts are structs and are passed by reference: a call on a context is direct, and copies nothing.</remarks>
[EditorBrowsable(EditorBrowsableState.Advanced)]
public static class HandlerInvoker
{
    /// <summary>Calls a message's handler if the handler is synchronous. Does not throw.</summary>
    /// <param name="dispatcher">The handlers.</param>
    /// <param name="message">The message with its header.</param>
    /// <param name="type">The message's type.</param>
    /// <param name="context">The message's origin.</param>
    /// <param name="outcome">How it ended.</param>
    /// <returns><c>false</c> if the handler is asynchronous: <see cref="Start"/> calls it; otherwise, <c>true</c>.</returns>
    public static bool TryInvoke<TContext>(
        MessageDispatcher<TContext> dispatcher,
        ReadOnlySpan<byte> message,
        uint type,
        ref TContext context,
        out HandlerOutcome outcome)
        where TContext : struct, IMessageContext
    {
        outcome = HandlerOutcome.Done;
        try
        {
            if (dispatcher.Dispatch(message, ref context) is var status and not DispatchStatus.HandlerIsAsync)
                outcome = Finish(type, ref context, status);
            else
                return false;
        }
        catch (Exception e)
        {
            outcome = Fail(type, ref context, e);
        }

        return true;
    }

    /// <summary>Calls a message's handler, which may be asynchronous. Does not throw.</summary>
    /// <param name="dispatcher">The handlers.</param>
    /// <param name="message">The message with its header.</param>
    /// <param name="type">The message's type.</param>
    /// <param name="context">The message's origin.</param>
    /// <param name="canceled">Passed on to the handler.</param>
    /// <param name="running">The handler that still runs; <c>null</c> if the handler has ended. The caller awaits it, and passes an exception to <see cref="Fail"/>.</param>
    /// <returns>How it ended; <see cref="HandlerOutcome.Done"/> while the handler runs.</returns>
    public static HandlerOutcome Start<TContext>(
        MessageDispatcher<TContext> dispatcher,
        ReadOnlySpan<byte> message,
        uint type,
        ref TContext context,
        CancellationToken canceled,
        out ValueTask<DispatchStatus>? running)
        where TContext : struct, IMessageContext
    {
        running = null;
        try
        {
            var call = dispatcher.DispatchAsync(message, context, canceled);
            if (call.IsCompletedSuccessfully)
                return Finish(type, ref context, call.Result);
            running = call;
            return HandlerOutcome.Done;
        }
        catch (Exception e)
        {
            return Fail(type, ref context, e);
        }
    }

    /// <summary>Reports a handler's exception, and answers a request with a fault.</summary>
    /// <param name="type">The message's type.</param>
    /// <param name="context">The message's origin.</param>
    /// <param name="exception">The exception.</param>
    /// <returns><see cref="HandlerOutcome.Done"/> if the handler threw a fault as its answer; otherwise, <see cref="HandlerOutcome.Failed"/>.</returns>
    /// <remarks>
    /// A fault that the handler threw is an answer, and no failure. A fault that another side sent may hold that side's secrets. Like any other
    /// exception it is reported here in full, and to the requester without its text.
    /// </remarks>
    public static HandlerOutcome Fail<TContext>(uint type, ref TContext context, Exception exception)
        where TContext : struct, IMessageContext
    {
        switch (exception)
        {
            case RequestFaultException { IsRemote: false } fault when context.Kind == MessageKind.Request:
                context.SendFault(type, fault.Code, fault.Message);
                return HandlerOutcome.Done;
            case OperationCanceledException when context.IsStopping:
                return HandlerOutcome.Failed;
            default:
                context.ReportFailure(type, exception);
                Refuse(type, ref context, FaultCode.HandlerFailed, "The request's handler failed.");
                return HandlerOutcome.Failed;
        }
    }

    /// <summary>Reports a reply that could not be sent, and answers the request with a fault.</summary>
    /// <param name="reply">The contract of the reply.</param>
    /// <param name="requestType">The message type of the request.</param>
    /// <param name="context">The request's origin.</param>
    /// <param name="exception">Why the reply could not be sent. The requester gets the sizes alone if it is a <see cref="MessageTooLargeException"/>, and nothing of it otherwise.</param>
    public static void FailReply<TContext>(MessageContract reply, uint requestType, ref TContext context, Exception exception)
        where TContext : struct, IMessageContext
    {
        ArgumentNullException.ThrowIfNull(reply);
        context.ReportFailure(reply.Type, exception);
        context.SendFault(requestType, FaultCode.ReplyFailed, Fault.DescribeReplyFailure(reply.MessageType, exception));
    }

    private static HandlerOutcome Finish<TContext>(uint type, ref TContext context, DispatchStatus status)
        where TContext : struct, IMessageContext
    {
        switch (status)
        {
            case DispatchStatus.Handled or DispatchStatus.HandledByFallback:
                return HandlerOutcome.Done;
            case DispatchStatus.NoHandler:
                Refuse(type, ref context, FaultCode.NoHandler, "Nobody here handles requests of this type.");
                return HandlerOutcome.NoHandler;
            default:
                Refuse(type, ref context, FaultCode.InvalidRequest, "The request can't be read.");
                return HandlerOutcome.Malformed;
        }
    }

    private static void Refuse<TContext>(uint type, ref TContext context, FaultCode code, string text)
        where TContext : struct, IMessageContext
    {
        if (context.Kind == MessageKind.Request)
            context.SendFault(type, code, text);
    }
}
