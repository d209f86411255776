using System.Runtime.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.BuildingBlocks;

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
    private (Type? MessageType, Func<HandlerCall, ValueTask> Filter)[] _filters = []; // replaced by each change
    private bool _hasHandlers;
    private long _misdirected;

    /// <summary>The dispatcher that calls the handlers. Register handlers by the methods of this table.</summary>
    public MessageDispatcher<TContext> Dispatcher { get; } = new(limits)
    {
        DecodeFailed = static (uint type, Exception exception, in TContext context) =>
        {
            var origin = context;
            origin.ReportFailure(type, exception);
        },
    };

    /// <summary>Whether a handler may be asynchronous. Without asynchronous handlers, messages are dispatched on a faster path.</summary>
    public bool HasAsyncHandlers { get; private set; }

    /// <summary>The type of the credentials, whose handler is asynchronous; <see langword="null"/> if the host has none. The handler does not count for <see cref="HasAsyncHandlers"/>, because it runs once for each connection.</summary>
    internal uint? CredentialsType { get; set; }

    /// <summary>Whether the handler of a type may be asynchronous.</summary>
    internal bool MayBeAsync(uint type) => HasAsyncHandlers || type == CredentialsType;

    /// <summary>The number of events whose type has a request handler, and of requests whose type has an event handler.</summary>
    public long Misdirected => Volatile.Read(ref _misdirected);

    /// <summary>Adds a filter around the handlers that are registered after it.</summary>
    /// <param name="filter">The filter.</param>
    /// <param name="messageType">The type of the messages; <see langword="null"/> for all types, including the offers of files and the requests for files.</param>
    /// <exception cref="InvalidOperationException">Thrown when a handler was registered before.</exception>
    public void AddFilter(Func<HandlerCall, ValueTask> filter, Type? messageType)
    {
        ArgumentNullException.ThrowIfNull(filter);
        if (Volatile.Read(ref _hasHandlers))
            throw new InvalidOperationException("A handler was registered before the filter, and would not be filtered. Add filters before handlers.");
        (Type?, Func<HandlerCall, ValueTask>)[] before;
        do
            before = Volatile.Read(ref _filters);
        while (Interlocked.CompareExchange(ref _filters, [.. before, (messageType, filter)], before) != before);
    }

    /// <summary>Registers a handler of events, with the filters around it.</summary>
    /// <param name="contract">The contract of the events.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>The registration. Dispose to unregister the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when its id belongs to another type.</exception>
    public HandlerRegistration On<T>(MessageContract<T> contract, EventMessageHandler<T, TFrom> handler) => Prepare(contract, handler)();

    /// <summary>Registers an asynchronous handler of events, with the filters around it.</summary>
    /// <inheritdoc cref="On{T}(MessageContract{T}, EventMessageHandler{T, TFrom})"/>
    public HandlerRegistration On<T>(MessageContract<T> contract, Func<T, TFrom, CancellationToken, ValueTask> handler) => Prepare(contract, handler)();

    /// <summary>Registers a handler of requests, with the filters around it.</summary>
    /// <param name="contract">The contract of the requests.</param>
    /// <param name="replyContract">The contract of the replies.</param>
    /// <param name="handler">The handler.</param>
    /// <returns>The registration. Dispose to unregister the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when its id belongs to another type.</exception>
    public HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        RequestHandler<TRequest, TReply, TFrom> handler) => Prepare(contract, replyContract, handler)();

    /// <summary>Registers an asynchronous handler of requests, with the filters around it.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(MessageContract{TRequest}, MessageContract{TReply}, RequestHandler{TRequest, TReply, TFrom})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        AsyncRequestHandler<TRequest, TReply, TFrom> handler) => Prepare(contract, replyContract, handler)();

    /// <summary>Finds the filters of a handler, and returns the call that registers it. The constructors of attributes run here, so call it without a lock.</summary>
    internal Func<HandlerRegistration> Prepare<T>(MessageContract<T> contract, EventMessageHandler<T, TFrom> handler)
    {
        if (FindFilters(contract) is not { } filters)
        {
            return () => Dispatcher.Register(contract, (in T message, ref TContext context) =>
            {
                if (context.Kind == MessageKind.Event)
                    handler(in message, context.From);
                else
                    RefuseRequest(contract.Type, ref context);
            });
        }

        return PrepareEvents(contract, new FilteredHandler<T, TFrom, Acknowledgement>(contract, filters, isRequest: false, call =>
        {
            handler(in call.MessageBox.Value!, call.FromBox.Value!);
            return default;
        }).HandleAsync);
    }

    /// <inheritdoc cref="Prepare{T}(MessageContract{T}, EventMessageHandler{T, TFrom})"/>
    internal Func<HandlerRegistration> Prepare<T>(MessageContract<T> contract, Func<T, TFrom, CancellationToken, ValueTask> handler) => PrepareEvents(contract, FindFilters(contract) is { } filters
        ? new FilteredHandler<T, TFrom, Acknowledgement>(contract, filters, isRequest: false, call => handler(call.MessageBox.Value!, call.FromBox.Value!, call.Canceled)).HandleAsync
        : handler);

    /// <inheritdoc cref="Prepare{T}(MessageContract{T}, EventMessageHandler{T, TFrom})"/>
    internal Func<HandlerRegistration> Prepare<TRequest, TReply>(MessageContract<TRequest> contract, MessageContract<TReply> replyContract, RequestHandler<TRequest, TReply, TFrom> handler)
    {
        if (FindFilters(contract) is not { } filters)
        {
            return () => Dispatcher.Register(contract, (in TRequest request, ref TContext context) =>
            {
                if (context.Kind == MessageKind.Request)
                    context.Reply(replyContract, handler(in request, context.From), contract.Type);
                else
                    CountMisdirected();
            });
        }

        var filtered = new FilteredHandler<TRequest, TFrom, TReply>(contract, filters, isRequest: true, call => call.SetReply(handler(in call.MessageBox.Value!, call.FromBox.Value!)));
        return PrepareRequests(contract, replyContract, filtered.ReplyAsync, isCancelable: false);
    }

    /// <inheritdoc cref="Prepare{T}(MessageContract{T}, EventMessageHandler{T, TFrom})"/>
    internal Func<HandlerRegistration> Prepare<TRequest, TReply>(MessageContract<TRequest> contract, MessageContract<TReply> replyContract, AsyncRequestHandler<TRequest, TReply, TFrom> handler) => PrepareRequests(
        contract,
        replyContract,
        FindFilters(contract) is { } filters
            ? new FilteredHandler<TRequest, TFrom, TReply>(contract, filters, isRequest: true, call => call.SetReplyAsync(handler(call.MessageBox.Value!, call.FromBox.Value!, call.Canceled))).ReplyAsync
            : handler,
        isCancelable: true);

    /// <summary>Finds the filters of a handler that receives the context of its request. The call of a handler with filters allocates.</summary>
    /// <inheritdoc cref="Prepare{T}(MessageContract{T}, EventMessageHandler{T, TFrom})"/>
    internal Func<HandlerRegistration> Prepare<TRequest, TReply>(MessageContract<TRequest> contract, MessageContract<TReply> replyContract, Func<TRequest, TContext, CancellationToken, ValueTask<TReply>> handler)
    {
        var filters = FindFilters(contract);
        return () => OnRequest(contract, (request, context) =>
        {
            AsyncRequestHandler<TRequest, TReply, TFrom> call = (message, _, token) => handler(message, context, token);
            if (filters is not null)
                call = new FilteredHandler<TRequest, TFrom, TReply>(contract, filters, isRequest: true, filtered => filtered.SetReplyAsync(handler(filtered.MessageBox.Value!, context, filtered.Canceled))).ReplyAsync;
            return ReplyLaterAsync(replyContract, call, request, contract.Type, context, isCancelable: true, default);
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
    internal void RefuseRequest(uint type, ref TContext context)
    {
        CountMisdirected();
        context.SendFault(type, FaultCode.NoHandler, "This type has a handler of events. Register the handler by OnRequest, or send the message as an event.");
    }

    /// <summary>Returns the filters around the handler of a type, the outermost first: of all types, of the type, and the attributes of the type; <c>null</c> for none.</summary>
    private Func<HandlerCall, ValueTask>[]? FindFilters(MessageContract contract)
    {
        ArgumentNullException.ThrowIfNull(contract);
        if (LibraryTypes.CallsNoCallback(contract.Type))
            return null;
        Volatile.Write(ref _hasHandlers, true);
        var found = new List<Func<HandlerCall, ValueTask>>();
        foreach (var filtered in new[] { null, contract.MessageType })
        {
            foreach (var (type, filter) in _filters)
            {
                if (type == filtered)
                    found.Add(filter);
            }
        }

        foreach (HandlerFilterAttribute attribute in contract.MessageType.GetCustomAttributes(typeof(HandlerFilterAttribute), inherit: true))
            found.Add(attribute.InvokeAsync);
        return found.Count == 0 ? null : [.. found];
    }

    private Func<HandlerRegistration> PrepareEvents<T>(MessageContract<T> contract, Func<T, TFrom, CancellationToken, ValueTask> handler) => () =>
    {
        HasAsyncHandlers = true;
        return Dispatcher.Register(contract, (T message, TContext context, CancellationToken canceled) =>
        {
            if (context.Kind == MessageKind.Event)
                return handler(message, context.From, canceled);
            RefuseRequest(contract.Type, ref context);
            return default;
        });
    };

    private Func<HandlerRegistration> PrepareRequests<TRequest, TReply>(MessageContract<TRequest> contract, MessageContract<TReply> replyContract, AsyncRequestHandler<TRequest, TReply, TFrom> handler, bool isCancelable) => () =>
    {
        HasAsyncHandlers = true;
        return Dispatcher.Register(contract, (TRequest request, TContext context, CancellationToken canceled) =>
        {
            if (context.Kind == MessageKind.Request)
                return ReplyLaterAsync(replyContract, handler, request, contract.Type, context, isCancelable, canceled);
            CountMisdirected();
            return default;
        });
    };

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private static async ValueTask ReplyLaterAsync<TRequest, TReply>(
        MessageContract<TReply> contract,
        AsyncRequestHandler<TRequest, TReply, TFrom> handler,
        TRequest request,
        uint requestType,
        TContext context,
        bool isCancelable,
        CancellationToken canceled)
    {
        var answer = isCancelable ? context.BeginRequest() : null; // the source of a token allocates, and a synchronous handler has no token
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
