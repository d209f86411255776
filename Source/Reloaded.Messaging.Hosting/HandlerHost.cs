namespace Reloaded.Messaging.Hosting;

/// <summary>A host of handlers: <see cref="MessageHost"/>, and hosts over other ways to exchange messages. This class adds the preferred forms of handlers.</summary>
/// <remarks>
/// An asynchronous lambda fits a <see cref="Task"/>, a <see cref="ValueTask"/> and an <see cref="Action"/>, and the compiler would refuse it as ambiguous. It considers the
/// forms of the base class only if no form of this class fits, so such a lambda becomes a <see cref="ValueTask"/>.
/// </remarks>
/// <typeparam name="TFrom">The origin of a message, which is passed to handlers.</typeparam>
public abstract class HandlerHost<TFrom> : HandlerForms<TFrom>
{
    /// <inheritdoc cref="On{T}(Func{T, TFrom, CancellationToken, ValueTask})"/>
    // The first form: the compiler compares a lambda that fits no form with this one. With `in` first, it would ask for `in`.
    public HandlerRegistration On<T>(Func<T, TFrom, ValueTask> handler) => Add<T>(new EventForm<T, TFrom>(handler).ValueTask2);

    /// <summary>Registers an asynchronous handler of events of a type, by its declared contract. Handlers start in the order of the messages and may complete in any order.</summary>
    /// <inheritdoc cref="HandlerForms{TFrom}.On{T}(MessageContract{T}, Func{T, TFrom, CancellationToken, ValueTask})"/>
    public HandlerRegistration On<T>(Func<T, TFrom, CancellationToken, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return On(MessageContract.GetDeclared<T>(), handler);
    }

    /// <inheritdoc cref="On{T}(Func{T, TFrom, CancellationToken, ValueTask})"/>
    public HandlerRegistration On<T>(Func<T, ValueTask> handler) => Add<T>(new EventForm<T, TFrom>(handler).ValueTask1);

    /// <summary>Registers a handler of events of a type, by its declared contract.</summary>
    /// <inheritdoc cref="HandlerForms{TFrom}.On{T}(MessageContract{T}, EventMessageHandler{T, TFrom})"/>
    public HandlerRegistration On<T>(EventMessageHandler<T, TFrom> handler) => On(MessageContract.GetDeclared<T>(), handler);

    /// <summary>Registers a handler of requests of a type, by the declared contracts of the request and the reply.</summary>
    /// <inheritdoc cref="HandlerForms{TFrom}.OnRequest{TRequest, TReply}(MessageContract{TRequest}, MessageContract{TReply}, RequestHandler{TRequest, TReply, TFrom})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(RequestHandler<TRequest, TReply, TFrom> handler) =>
        OnRequest(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), handler);

    /// <summary>Registers an asynchronous handler of requests of a type, by the declared contracts of the request and the reply.</summary>
    /// <inheritdoc cref="HandlerForms{TFrom}.OnRequest{TRequest, TReply}(MessageContract{TRequest}, MessageContract{TReply}, AsyncRequestHandler{TRequest, TReply, TFrom})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(AsyncRequestHandler<TRequest, TReply, TFrom> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return OnRequest(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), handler);
    }

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(AsyncRequestHandler{TRequest, TReply, TFrom})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(Func<TRequest, TFrom, ValueTask<TReply>> handler) =>
        Add<TRequest, TReply>(new RequestForm<TRequest, TReply, TFrom>(handler).ValueTask2);

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(AsyncRequestHandler{TRequest, TReply, TFrom})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(Func<TRequest, ValueTask<TReply>> handler) =>
        Add<TRequest, TReply>(new RequestForm<TRequest, TReply, TFrom>(handler).ValueTask1);

    /// <summary>Registers an asynchronous handler of requests without a reply, by the declared contract of the request. The requester receives an <see cref="Acknowledgement"/> when the handler completes.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(AsyncRequestHandler{TRequest, TReply, TFrom})"/>
    public HandlerRegistration OnRequest<TRequest>(Func<TRequest, TFrom, CancellationToken, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AddAcknowledged(handler);
    }

    /// <inheritdoc cref="OnRequest{TRequest}(Func{TRequest, TFrom, CancellationToken, ValueTask})"/>
    public HandlerRegistration OnRequest<TRequest>(Func<TRequest, TFrom, ValueTask> handler) =>
        AddAcknowledged<TRequest>(new EventForm<TRequest, TFrom>(handler).ValueTask2);

    /// <inheritdoc cref="OnRequest{TRequest}(Func{TRequest, TFrom, CancellationToken, ValueTask})"/>
    public HandlerRegistration OnRequest<TRequest>(Func<TRequest, ValueTask> handler) =>
        AddAcknowledged<TRequest>(new EventForm<TRequest, TFrom>(handler).ValueTask1);
}

/// <summary>The forms of handlers that are ordinary delegates, and the forms with contracts. <see cref="HandlerHost{TFrom}"/> adds the preferred forms. Derive hosts from it.</summary>
/// <remarks>A host implements <see cref="AddFilter"/> and the four forms with contracts. All other forms call them.</remarks>
/// <typeparam name="TFrom">The origin of a message, which is passed to handlers.</typeparam>
public abstract class HandlerForms<TFrom>
{
    private protected HandlerForms()
    {
    }

    /// <summary>Adds a filter around the handlers of this host. The filter calls <see cref="HandlerCall.NextAsync"/>, or refuses the message: it returns, or throws a <see cref="RequestFaultException"/>.</summary>
    /// <param name="filter">The filter. Its exceptions are treated as those of a handler. Filters run in the order in which they were added: first those of all types, then those of a type, and at last the attributes of the type (<see cref="HandlerFilterAttribute"/>).</param>
    /// <param name="messageType">The type of the messages; <see langword="null"/> for all types.</param>
    /// <remarks>
    /// A filter starts on the thread on which the handler would start. Filters and handlers that complete synchronously allocate nothing. A host without filters calls its handlers
    /// as before. Offers of files and requests for files are filtered. Credentials, inspections, and the blocks of streams and files are not.
    /// </remarks>
    /// <exception cref="InvalidOperationException">Thrown when a handler was registered before the filter.</exception>
    public abstract void AddFilter(Func<HandlerCall, ValueTask> filter, Type? messageType = null);

    /// <summary>Registers a handler of events of a type.</summary>
    /// <param name="contract">The contract of the message.</param>
    /// <param name="handler">The handler. Its exceptions are counted and reported by the event <c>HandlerFailed</c> of the host.</param>
    /// <returns>The registration. Dispose to unregister the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when its id belongs to another type of the host.</exception>
    public abstract HandlerRegistration On<T>(MessageContract<T> contract, EventMessageHandler<T, TFrom> handler);

    /// <summary>Registers an asynchronous handler of events of a type. Handlers start in the order of the messages and may complete in any order.</summary>
    /// <param name="contract">The contract of the message.</param>
    /// <param name="handler">The handler of a message, its sender, and a token. The host documents when it cancels the token. The exceptions of the handler are counted and reported by the event <c>HandlerFailed</c> of the host.</param>
    /// <returns>The registration. Dispose to unregister the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when its id belongs to another type of the host.</exception>
    public abstract HandlerRegistration On<T>(MessageContract<T> contract, Func<T, TFrom, CancellationToken, ValueTask> handler);

    /// <summary>Registers a handler of requests of a type, by the given contracts.</summary>
    /// <param name="contract">The contract of the request.</param>
    /// <param name="replyContract">The contract of the reply.</param>
    /// <param name="handler">The handler. If it throws, the requester receives a fault without the details of the exception. The code and text of a <see cref="RequestFaultException"/> are sent.</param>
    /// <returns>The registration. Dispose to unregister the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when the id of the request or the reply belongs to another type of the host.</exception>
    public abstract HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        RequestHandler<TRequest, TReply, TFrom> handler);

    /// <summary>Registers an asynchronous handler of requests of a type, by the given contracts.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(MessageContract{TRequest}, MessageContract{TReply}, RequestHandler{TRequest, TReply, TFrom})"/>
    public abstract HandlerRegistration OnRequest<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        AsyncRequestHandler<TRequest, TReply, TFrom> handler);

    /// <summary>Registers a handler of events of a type, by its declared contract. It runs on the thread that receives the message or, in a pumped host, on the thread that calls <c>Pump</c>. Return soon.</summary>
    /// <param name="handler">The handler of a message and, if it wants them, its sender and a token. Its exceptions are counted and reported by the event <c>HandlerFailed</c> of the host.</param>
    /// <returns>The registration. Dispose to unregister the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when its id belongs to another type of the host.</exception>
    public HandlerRegistration On<T>(Action<T> handler) => Add<T>(new EventForm<T, TFrom>(handler).Action1);

    /// <inheritdoc cref="On{T}(Action{T})"/>
    /// <remarks>The message is copied. With <c>in</c> before the message (<see cref="EventMessageHandler{T, TFrom}"/>), it is not.</remarks>
    public HandlerRegistration On<T>(Action<T, TFrom> handler) => Add<T>(new EventForm<T, TFrom>(handler).Action2);

    /// <summary>Registers an asynchronous handler of events of a type, by its declared contract. Handlers start in the order of the messages and may complete in any order.</summary>
    /// <inheritdoc cref="On{T}(Action{T})"/>
    public HandlerRegistration On<T>(Func<T, Task> handler) => Add<T>(new EventForm<T, TFrom>(handler).Task1);

    /// <inheritdoc cref="On{T}(Func{T, Task})"/>
    public HandlerRegistration On<T>(Func<T, TFrom, Task> handler) => Add<T>(new EventForm<T, TFrom>(handler).Task2);

    /// <inheritdoc cref="On{T}(Func{T, Task})"/>
    /// <remarks>The host documents when it cancels the token: a <see cref="MessageHost"/> does when the sender disconnects.</remarks>
    public HandlerRegistration On<T>(Func<T, TFrom, CancellationToken, Task> handler) => Add<T>(new EventForm<T, TFrom>(handler).Task3);

    /// <summary>Registers a handler of requests of a type, by the declared contracts of the request and the reply. It runs on the thread that receives the request or, in a pumped host, on the thread that calls <c>Pump</c>. Return soon.</summary>
    /// <param name="handler">The handler. If it throws, the requester receives a fault without the details of the exception. The code and text of a <see cref="RequestFaultException"/> are sent.</param>
    /// <returns>The registration. Dispose to unregister the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when the id of the request or the reply belongs to another type of the host.</exception>
    public HandlerRegistration OnRequest<TRequest, TReply>(Func<TRequest, TReply> handler) =>
        Add<TRequest, TReply>(new RequestForm<TRequest, TReply, TFrom>(handler).Reply1);

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, TReply})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(Func<TRequest, TFrom, TReply> handler) =>
        Add<TRequest, TReply>(new RequestForm<TRequest, TReply, TFrom>(handler).Reply2);

    /// <summary>Registers an asynchronous handler of requests of a type, by the declared contracts of the request and the reply.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, TReply})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(Func<TRequest, Task<TReply>> handler) =>
        Add<TRequest, TReply>(new RequestForm<TRequest, TReply, TFrom>(handler).Task1);

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, Task{TReply}})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(Func<TRequest, TFrom, Task<TReply>> handler) =>
        Add<TRequest, TReply>(new RequestForm<TRequest, TReply, TFrom>(handler).Task2);

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, Task{TReply}})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(Func<TRequest, TFrom, CancellationToken, Task<TReply>> handler) =>
        Add<TRequest, TReply>(new RequestForm<TRequest, TReply, TFrom>(handler).Task3);

    /// <summary>Registers a handler of requests without a reply, by the declared contract of the request. The requester receives an <see cref="Acknowledgement"/> when the handler returns.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, TReply})"/>
    public HandlerRegistration OnRequest<TRequest>(Action<TRequest> handler) =>
        AddAcknowledged<TRequest>(new RequestForm<TRequest, Acknowledgement, TFrom>(handler).Action1);

    /// <inheritdoc cref="OnRequest{TRequest}(Action{TRequest})"/>
    public HandlerRegistration OnRequest<TRequest>(Action<TRequest, TFrom> handler) =>
        AddAcknowledged<TRequest>(new RequestForm<TRequest, Acknowledgement, TFrom>(handler).Action2);

    /// <summary>Registers an asynchronous handler of requests without a reply, by the declared contract of the request. The requester receives an <see cref="Acknowledgement"/> when the handler completes.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(Func{TRequest, TReply})"/>
    public HandlerRegistration OnRequest<TRequest>(Func<TRequest, Task> handler) =>
        AddAcknowledged<TRequest>(new EventForm<TRequest, TFrom>(handler).Task1);

    /// <inheritdoc cref="OnRequest{TRequest}(Func{TRequest, Task})"/>
    public HandlerRegistration OnRequest<TRequest>(Func<TRequest, TFrom, Task> handler) =>
        AddAcknowledged<TRequest>(new EventForm<TRequest, TFrom>(handler).Task2);

    /// <inheritdoc cref="OnRequest{TRequest}(Func{TRequest, Task})"/>
    public HandlerRegistration OnRequest<TRequest>(Func<TRequest, TFrom, CancellationToken, Task> handler) =>
        AddAcknowledged<TRequest>(new EventForm<TRequest, TFrom>(handler).Task3);

    private protected HandlerRegistration AddAcknowledged<TRequest>(Func<TRequest, TFrom, CancellationToken, ValueTask> handler) =>
        OnRequest(MessageContract.GetDeclared<TRequest>(), Acknowledgement.Contract, async (request, from, token) =>
        {
            await handler(request, from, token).ConfigureAwait(false);
            return default;
        });

    private HandlerRegistration AddAcknowledged<TRequest>(RequestHandler<TRequest, Acknowledgement, TFrom> handler) =>
        OnRequest(MessageContract.GetDeclared<TRequest>(), Acknowledgement.Contract, handler);

    private protected HandlerRegistration Add<T>(EventMessageHandler<T, TFrom> handler) => On(MessageContract.GetDeclared<T>(), handler);

    private protected HandlerRegistration Add<T>(Func<T, TFrom, CancellationToken, ValueTask> handler) => On(MessageContract.GetDeclared<T>(), handler);

    private protected HandlerRegistration Add<TRequest, TReply>(RequestHandler<TRequest, TReply, TFrom> handler) =>
        OnRequest(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), handler);

    private protected HandlerRegistration Add<TRequest, TReply>(AsyncRequestHandler<TRequest, TReply, TFrom> handler) =>
        OnRequest(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), handler);
}

/// <summary>Handles an event. Runs on the thread that receives the message or, in a pumped host, on the thread that calls <c>Pump</c>. Return soon.</summary>
/// <typeparam name="T">The message.</typeparam>
/// <typeparam name="TFrom">The origin of a message: a <see cref="Peer"/>, or the origin that another kind of host defines.</typeparam>
public delegate void EventMessageHandler<T, TFrom>(in T message, TFrom from);

/// <summary>Handles a request and returns the reply. Runs on the thread that receives the request or, in a pumped host, on the thread that calls <c>Pump</c>. Return soon.</summary>
/// <typeparam name="TRequest">The request.</typeparam>
/// <typeparam name="TReply">The reply.</typeparam>
/// <typeparam name="TFrom">The origin of a request: a <see cref="Peer"/>, or the origin that another kind of host defines.</typeparam>
public delegate TReply RequestHandler<TRequest, TReply, TFrom>(in TRequest request, TFrom from);

/// <summary>Handles a request asynchronously. Starts on the thread that receives the request or, in a pumped host, on the thread that calls <c>Pump</c>.</summary>
/// <remarks>A <see cref="MessageHost"/> cancels the token when the peer disconnects or cancels the request. Other hosts document when they cancel the token.</remarks>
/// <typeparam name="TRequest">The request.</typeparam>
/// <typeparam name="TReply">The reply.</typeparam>
/// <typeparam name="TFrom">The origin of a request: a <see cref="Peer"/>, or the origin that another kind of host defines.</typeparam>
public delegate ValueTask<TReply> AsyncRequestHandler<TRequest, TReply, TFrom>(TRequest request, TFrom from, CancellationToken cancellationToken);
