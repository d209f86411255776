using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <content>Registration of handlers.</content>
public sealed partial class RabbitHost
{
    /// <summary>Registers a handler for events of a type, by the declared contract.</summary>
    /// <inheritdoc cref="On{T}(MessageContract{T}, EventMessageHandler{T, Origin})"/>
    public HandlerRegistration On<T>(EventMessageHandler<T, Origin> handler) => On(MessageContract.GetDeclared<T>(), handler);

    /// <summary>Registers a handler for events of a type.</summary>
    /// <remarks>
    /// An at-least-once message is acknowledged when its handler has returned and the broker has confirmed the at-least-once messages that the handler
    /// published, with this host or another. If a publication is lost or the host returns <see cref="SendStatus.Closed"/>, the message is delivered again.
    /// Messages that the handler publishes on other threads after its return do not count.
    /// </remarks>
    /// <param name="contract">The contract of the messages.</param>
    /// <param name="handler">
    /// The handler. Its exceptions are counted and reported, and the subscription continues. An at-least-once message is tried again, up to
    /// <see cref="RabbitOptions.MaxTries"/> times in total.
    /// </param>
    /// <returns>The registration. Dispose it to remove the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type already has a handler.</exception>
    public HandlerRegistration On<T>(MessageContract<T> contract, EventMessageHandler<T, Origin> handler)
    {
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(handler);
        return Inbox.Handlers.On(contract, handler);
    }

    /// <summary>Registers an asynchronous handler for events of a type, by the declared contract. Handlers start in order and may end in another order. A message is handled when its handler has ended.</summary>
    /// <remarks>An at-least-once message is acknowledged when its handler has ended and the broker has confirmed the at-least-once messages that the handler published.</remarks>
    /// <param name="handler">The handler of a message, its sender, and a token that is canceled when the host is disposed and <see cref="RabbitOptions.StopTimeout"/> has passed.</param>
    /// <returns>The registration. Dispose it to remove the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type already has a handler.</exception>
    public HandlerRegistration On<T>(Func<T, Origin, CancellationToken, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Inbox.Handlers.On(MessageContract.GetDeclared<T>(), handler);
    }

    /// <inheritdoc cref="On{T}(Func{T, Origin, CancellationToken, ValueTask})"/>
    public HandlerRegistration On<T>(Func<T, Origin, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return On((T message, Origin from, CancellationToken _) => handler(message, from));
    }

    /// <inheritdoc cref="On{T}(Func{T, Origin, CancellationToken, ValueTask})"/>
    public HandlerRegistration On<T>(Func<T, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return On((T message, Origin _, CancellationToken _) => handler(message));
    }

    /// <summary>Registers a handler for requests of a type, by the declared contracts.</summary>
    /// <param name="handler">The handler. If it throws, the requester receives a fault. The fault contains the message of a <see cref="RequestFaultException"/>, but not of other exceptions.</param>
    /// <returns>The registration. Dispose it to remove the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type already has a handler.</exception>
    public HandlerRegistration OnRequest<TRequest, TReply>(RequestHandler<TRequest, TReply, Origin> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Inbox.Handlers.OnRequest(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), handler);
    }

    /// <summary>Registers an asynchronous handler for requests of a type, by the declared contracts.</summary>
    /// <remarks>The token of the handler is canceled when the host is disposed and <see cref="RabbitOptions.StopTimeout"/> has passed.</remarks>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(RequestHandler{TRequest, TReply, Origin})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(AsyncRequestHandler<TRequest, TReply, Origin> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Inbox.Handlers.OnRequest(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), handler);
    }

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(AsyncRequestHandler{TRequest, TReply, Origin})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(Func<TRequest, Origin, ValueTask<TReply>> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return OnRequest((TRequest request, Origin from, CancellationToken _) => handler(request, from));
    }

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(AsyncRequestHandler{TRequest, TReply, Origin})"/>
    public HandlerRegistration OnRequest<TRequest, TReply>(Func<TRequest, ValueTask<TReply>> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return OnRequest((TRequest request, Origin _, CancellationToken _) => handler(request));
    }

    /// <summary>Registers an asynchronous handler for requests without a reply, by the declared contract of the request. The requester receives an <see cref="Acknowledgement"/> when the handler completes.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(AsyncRequestHandler{TRequest, TReply, Origin})"/>
    public HandlerRegistration OnRequest<TRequest>(Func<TRequest, Origin, CancellationToken, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return OnRequest<TRequest, Acknowledgement>(async (request, from, token) =>
        {
            await handler(request, from, token).ConfigureAwait(false);
            return default;
        });
    }

    /// <inheritdoc cref="OnRequest{TRequest}(Func{TRequest, Origin, CancellationToken, ValueTask})"/>
    public HandlerRegistration OnRequest<TRequest>(Func<TRequest, Origin, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return OnRequest((TRequest request, Origin from, CancellationToken _) => handler(request, from));
    }

    /// <inheritdoc cref="OnRequest{TRequest}(Func{TRequest, Origin, CancellationToken, ValueTask})"/>
    public HandlerRegistration OnRequest<TRequest>(Func<TRequest, ValueTask> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return OnRequest((TRequest request, Origin _, CancellationToken _) => handler(request));
    }
}
