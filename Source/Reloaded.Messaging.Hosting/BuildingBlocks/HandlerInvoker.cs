using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.BuildingBlocks;

/// <summary>Calls the handlers of received messages. Reports their exceptions and replies with faults. For authors of hosts: see <see cref="HandlerTable{TFrom, TContext}"/>.</summary>
/// <remarks>Thread-safe. Contexts are structs and are passed by reference, so a call on a context is direct and copies nothing.</remarks>
public static class HandlerInvoker
{
    /// <summary>Calls the handler of a message if the handler is synchronous. Does not throw.</summary>
    /// <param name="dispatcher">The handlers.</param>
    /// <param name="message">The message with its header.</param>
    /// <param name="type">The type of the message.</param>
    /// <param name="context">The origin of the message.</param>
    /// <param name="outcome">The outcome.</param>
    /// <returns><c>false</c> if the handler is asynchronous and must be called by <see cref="Start{TContext}(MessageDispatcher{TContext}, ReadOnlySpan{byte}, uint, ref TContext, CancellationToken, out ValueTask{DispatchStatus}?)"/>; otherwise, <c>true</c>.</returns>
    public static bool TryInvoke<TContext>(
        MessageDispatcher<TContext> dispatcher,
        ReadOnlySpan<byte> message,
        uint type,
        ref TContext context,
        out HandlerOutcome outcome)
        where TContext : struct, IMessageContext => TryInvoke(dispatcher, default, 0, message, type, ref context, out outcome);

    /// <param name="dispatcher">The handlers.</param>
    /// <param name="header">The header.</param>
    /// <param name="headerSize">The size of the header, in bytes; 0 if it was not read.</param>
    /// <param name="message">The message with its header.</param>
    /// <param name="type">The type of the message.</param>
    /// <param name="context">The origin of the message.</param>
    /// <param name="outcome">The outcome.</param>
    /// <inheritdoc cref="TryInvoke{TContext}(MessageDispatcher{TContext}, ReadOnlySpan{byte}, uint, ref TContext, out HandlerOutcome)"/>
    internal static bool TryInvoke<TContext>(
        MessageDispatcher<TContext> dispatcher,
        in MessageHeader header,
        int headerSize,
        ReadOnlySpan<byte> message,
        uint type,
        ref TContext context,
        out HandlerOutcome outcome)
        where TContext : struct, IMessageContext
    {
        outcome = HandlerOutcome.Done;
        try
        {
            if (dispatcher.DispatchRead(in header, headerSize, message, ref context) is var status and not DispatchStatus.HandlerIsAsync)
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

    /// <summary>Calls the handler of a message, which may be asynchronous. Does not throw.</summary>
    /// <param name="dispatcher">The handlers.</param>
    /// <param name="message">The message with its header.</param>
    /// <param name="type">The type of the message.</param>
    /// <param name="context">The origin of the message.</param>
    /// <param name="canceled">The token that is passed to the handler.</param>
    /// <param name="running">The task of the handler if it still runs; <c>null</c> if the handler has ended. The caller awaits the task, and passes its exception to <see cref="Fail"/>.</param>
    /// <returns>The outcome; <see cref="HandlerOutcome.Done"/> while the handler runs.</returns>
    public static HandlerOutcome Start<TContext>(
        MessageDispatcher<TContext> dispatcher,
        ReadOnlySpan<byte> message,
        uint type,
        ref TContext context,
        CancellationToken canceled,
        out ValueTask<DispatchStatus>? running)
        where TContext : struct, IMessageContext => Start(dispatcher, default, 0, message, type, ref context, canceled, out running);

    /// <param name="dispatcher">The handlers.</param>
    /// <param name="header">The header.</param>
    /// <param name="headerSize">The size of the header, in bytes; 0 if it was not read.</param>
    /// <param name="message">The message with its header.</param>
    /// <param name="type">The type of the message.</param>
    /// <param name="context">The origin of the message.</param>
    /// <param name="canceled">The token that is passed to the handler.</param>
    /// <param name="running">The task of the handler if it still runs; <c>null</c> if the handler has ended.</param>
    /// <inheritdoc cref="Start{TContext}(MessageDispatcher{TContext}, ReadOnlySpan{byte}, uint, ref TContext, CancellationToken, out ValueTask{DispatchStatus}?)"/>
    internal static HandlerOutcome Start<TContext>(
        MessageDispatcher<TContext> dispatcher,
        in MessageHeader header,
        int headerSize,
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
            var call = dispatcher.DispatchReadAsync(in header, headerSize, message, context, canceled);
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

    /// <summary>Reports the exception of a handler, and replies to a request with a fault.</summary>
    /// <param name="type">The type of the message.</param>
    /// <param name="context">The origin of the message.</param>
    /// <param name="exception">The exception.</param>
    /// <returns><see cref="HandlerOutcome.Done"/> if the handler threw a fault as its reply; otherwise, <see cref="HandlerOutcome.Failed"/>.</returns>
    /// <remarks>
    /// A fault that the handler created is a reply, and not a failure. A fault that the handler received from a remote side may contain secrets of that side.
    /// It is reported in full on this side, like every other exception. The requester receives a fault without its text.
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
                if (context.Kind == MessageKind.Request)
                    context.SendFault(type, FaultCode.HandlerFailed, $"The handler of {context.NameOf(type) ?? $"requests of type {type}"} failed.");
                return HandlerOutcome.Failed;
        }
    }

    /// <summary>Reports a reply that could not be sent, and replies to the request with a fault.</summary>
    /// <param name="reply">The contract of the reply.</param>
    /// <param name="requestType">The type of the request.</param>
    /// <param name="context">The origin of the request.</param>
    /// <param name="exception">The reason why the reply could not be sent. The fault contains the sizes of a <see cref="MessageTooLargeException"/>, and no details of any other exception.</param>
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
                if (context.Kind == MessageKind.Request)
                    context.SendFault(type, FaultCode.NoHandler, type == LibraryTypes.ItemPull ? Fault.WithoutItems : $"No handler is registered for requests of type {type}.");
                return HandlerOutcome.NoHandler;
            default:
                if (context.Kind == MessageKind.Request)
                    context.SendFault(type, FaultCode.InvalidRequest, "The request " + Fault.DescribeUnreadable(context.NameOf(type) ?? "of an unknown type", type, status));
                (context as IUnreadableNote)?.NoteUnreadable(status);
                return HandlerOutcome.Malformed;
        }
    }
}
