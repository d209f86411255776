using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.Authoring;

/// <summary>The handlers of events and requests of a host. For authors of hosts.</summary>
/// <remarks>
/// Thread-safe. The host reads the header of a message, creates a context, and passes the message to <see cref="HandlerInvoker"/> with <see cref="Dispatcher"/>.
/// The host itself handles replies, faults and control messages. The delegates for handlers and the codes of faults are those of <see cref="MessageHost"/>.
/// </remarks>
/// <typeparam name="TFrom">The origin of a message, which is passed to handlers.</typeparam>
/// <typeparam name="TContext">The context of a received message: its origin and kind.</typeparam>
/// <param name="limits">The limits of received messages.</param>
public sealed class HandlerTable<TFrom, TContext>(MessageLimits limits)
    where TContext : struct, IMessageContext<TFrom>
{
    private long _misdirected;

    /// <summary>The dispatcher that calls the handlers. Register handlers by the methods of this table.</summary>
    public MessageDispatcher<TContext> Dispatcher { get; } = new(new DispatcherOptions { Limits = limits });

    /// <summary>Whether a handler may be asynchronous. Without asynchronous handlers, messages are dispatched on a faster path.</summary>
    public bool HasAsyncHandlers { get; private set; }

    /// <summary>The type of the credentials, whose handler is asynchronous; <see langword="null"/> if the host has none. The handler does not count for <see cref="HasAsyncHandlers"/>, because it runs once for each connection.</summary>
    internal uint? CredentialsType { get; set; }

    /// <summary>Whether the handler of a type may be asynchronous.</summary>
    internal bool MayBeAsync(uint type) => HasAsyncHandlers || type == CredentialsType;

    /// <summary>The number of events whose type has a request handler, and of requests whose type has an event handler.</summary>
    public long Misdirected => Volatile.Read(ref _misdirected);

    /// <summary>Registers a handler of events.</summary>
    /// <param name="contract">The contract of the events.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>The registration. Dispose to unregister the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when its id belongs to another type.</exception>
    public HandlerRegistration On<T>(MessageContract<T> contract, EventMessageHandler<T, TFrom> handler) =>
        Dispatcher.Register(contract, (in T message, ref TContext context) =>
        {
            if (context.Kind == MessageKind.Event)
                handler(in message, context.From);
            else
                RefuseRequest(contract.Type, ref context);
        });

    /// <summary>Registers an asynchronous handler of events.</summary>
    /// <inheritdoc cref="On{T}(MessageContract{T}, EventMessageHandler{T, TFrom})"/>
    public HandlerRegistration On<T>(MessageContract<T> contract, Func<T, TFrom, CancellationToken, ValueTask> handler)
    {
        HasAsyncHandlers = true;
        return Dispatcher.Register(contract, (T message, TContext context, CancellationToken canceled) =>
        {
            if (context.Kind == MessageKind.Event)
                return handler(message, context.From, canceled);
            RefuseRequest(contract.Type, ref context);
            return default;
        });
    }

    /// <summary>Registers a handler of requests.</summary>
    /// <param name="contract">The contract of the requests.</param>
    /// <param name="replyContract">The contract of the replies.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>The registration. Dispose to unregister the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when its id belongs to another type.</exception>
    public HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        RequestHandler<TRequest, TReply, TFrom> handler) =>
        Dispatcher.Register(contract, (in TRequest request, ref TContext context) =>
        {
            if (context.Kind == MessageKind.Request)
                context.Reply(replyContract, handler(in request, context.From), contract.Type);
            else
                CountMisdirected();
        });

    /// <summary>Registers an asynchronous handler of requests.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(MessageContract{TRequest}, MessageContract{TReply}, RequestHandler{TRequest, TReply, TFrom})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        AsyncRequestHandler<TRequest, TReply, TFrom> handler)
    {
        HasAsyncHandlers = true;
        return Dispatcher.Register(contract, (TRequest request, TContext context, CancellationToken canceled) =>
        {
            if (context.Kind == MessageKind.Request)
                return ReplyLaterAsync(replyContract, handler, request, contract.Type, context, canceled);
            CountMisdirected();
            return default;
        });
    }

    /// <summary>Registers an asynchronous handler of requests that sends its replies itself.</summary>
    internal HandlerRegistration OnRequest<TRequest>(MessageContract<TRequest> contract, Func<TRequest, TContext, ValueTask> handler)
    {
        HasAsyncHandlers = true;
        return Dispatcher.Register(contract, (TRequest request, TContext context, CancellationToken _) =>
        {
            if (context.Kind == MessageKind.Request)
                return handler(request, context);
            CountMisdirected();
            return default;
        });
    }

    /// <summary>Counts a request whose type has an event handler, and replies to the request with a fault.</summary>
    /// <param name="type">The type of the message.</param>
    /// <param name="context">The origin of the request.</param>
    public void RefuseRequest(uint type, ref TContext context)
    {
        CountMisdirected();
        context.SendFault(type, FaultCode.NoHandler, "Messages of this type are handled as events and have no reply. Send the message as an event.");
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private static async ValueTask ReplyLaterAsync<TRequest, TReply>(
        MessageContract<TReply> contract,
        AsyncRequestHandler<TRequest, TReply, TFrom> handler,
        TRequest request,
        uint requestType,
        TContext context,
        CancellationToken canceled)
    {
        var answer = context.BeginRequest();
        try
        {
            var reply = await handler(request, context.From, answer?.Token ?? canceled).ConfigureAwait(false);
            context.Reply(contract, in reply, requestType);
        }
        catch (OperationCanceledException) when (answer is { IsCancellationRequested: true })
        {
            context.SendFault(requestType, FaultCode.Canceled, "The request was canceled.");
        }
        finally
        {
            if (answer is not null)
                context.EndRequest(answer);
        }
    }

    private void CountMisdirected() => Interlocked.Increment(ref _misdirected);
}
