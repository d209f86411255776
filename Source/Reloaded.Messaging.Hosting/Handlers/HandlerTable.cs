using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>A host's handlers of events and requests.</summary>
/// <typeparam name="TFrom">The origin of a message, which handlers get.</typeparam>
/// <typeparam name="TContext">A received message's origin and kind.</typeparam>
/// <param name="limits">What is refused.</param>
internal sealed class HandlerTable<TFrom, TContext>(MessageLimits limits)
    where TContext : struct, IMessageContext<TFrom>
{
    private long _misdirected;

    /// <summary>Calls the handlers.</summary>
    public MessageDispatcher<TContext> Dispatcher { get; } = new(new DispatcherOptions { Limits = limits });

    /// <summary>Whether a handler may be asynchronous. While none is, messages are dispatched the shorter way.</summary>
    public bool HasAsyncHandlers { get; private set; }

    /// <summary>The number of events that came as requests, and of requests that came as events.</summary>
    public long Misdirected => Volatile.Read(ref _misdirected);

    /// <summary>Handles events.</summary>
    public HandlerRegistration On<T>(MessageContract<T> contract, EventMessageHandler<T, TFrom> handler) =>
        Dispatcher.Register(contract, (in T message, ref TContext context) =>
        {
            if (context.Kind == MessageKind.Event)
                handler(in message, context.From);
            else
                RefuseRequest(contract.Type, ref context);
        });

    /// <summary>Handles events asynchronously.</summary>
    public HandlerRegistration On<T>(MessageContract<T> contract, Func<T, TFrom, ValueTask> handler)
    {
        HasAsyncHandlers = true;
        return Dispatcher.Register(contract, (T message, TContext context, CancellationToken _) =>
        {
            if (context.Kind == MessageKind.Event)
                return handler(message, context.From);
            RefuseRequest(contract.Type, ref context);
            return default;
        });
    }

    /// <summary>Answers requests.</summary>
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

    /// <summary>Answers requests asynchronously.</summary>
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

    /// <summary>Counts a request whose type is handled as an event, and answers it with a fault.</summary>
    public void RefuseRequest(uint type, ref TContext context)
    {
        CountMisdirected();
        context.SendFault(type, FaultCode.NoHandler, "Messages of this type are handled here, and not answered.");
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
