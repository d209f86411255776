using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Handles a request and returns the reply. Runs on the thread that receives the request or, in a pumped host, on the thread that calls <c>Pump</c>. Return soon.</summary>
/// <typeparam name="TRequest">The request.</typeparam>
/// <typeparam name="TReply">The reply.</typeparam>
/// <typeparam name="TFrom">The origin of a request: a <see cref="Peer"/>, or the origin that another kind of host defines.</typeparam>
public delegate TReply RequestHandler<TRequest, TReply, TFrom>(in TRequest request, TFrom from);

/// <summary>Handles an event. Runs on the thread that receives the message or, in a pumped host, on the thread that calls <c>Pump</c>. Return soon.</summary>
/// <typeparam name="T">The message.</typeparam>
/// <typeparam name="TFrom">The origin of a message: a <see cref="Peer"/>, or the origin that another kind of host defines.</typeparam>
public delegate void EventMessageHandler<T, TFrom>(in T message, TFrom from);

/// <summary>Handles a request asynchronously. Starts on the thread that receives the request or, in a pumped host, on the thread that calls <c>Pump</c>.</summary>
/// <remarks>A <see cref="MessageHost"/> cancels the token when the peer disconnects or cancels the request. Other hosts document when they cancel the token.</remarks>
/// <typeparam name="TRequest">The request.</typeparam>
/// <typeparam name="TReply">The reply.</typeparam>
/// <typeparam name="TFrom">The origin of a request: a <see cref="Peer"/>, or the origin that another kind of host defines.</typeparam>
public delegate ValueTask<TReply> AsyncRequestHandler<TRequest, TReply, TFrom>(TRequest request, TFrom from, CancellationToken cancellationToken);

/// <summary>Registers handlers of events that are ordinary delegates.</summary>
/// <remarks>
/// An asynchronous lambda fits a <see cref="Task"/>, a <see cref="ValueTask"/> and an <see cref="Action"/>, and the compiler would refuse it as ambiguous. It considers
/// an extension only if no method of <see cref="MessageHost"/> fits, so such a lambda becomes a <see cref="ValueTask"/> by the methods there.
/// </remarks>
public static class EventHandlerExtensions
{
    /// <summary>Registers a handler of events of a type, by its declared contract. It runs on the thread that receives the message or, in a pumped host, on the thread that calls <c>Pump</c>. Return soon.</summary>
    /// <param name="host">The host.</param>
    /// <param name="handler">The handler of a message and, if it wants them, its sender and a token. Its exceptions are counted and reported by <see cref="MessageHost.HandlerFailed"/>.</param>
    /// <returns>The registration. Dispose to unregister the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler.</exception>
    public static HandlerRegistration On<T>(this MessageHost host, Action<T> handler)
    {
        Check(host, handler);
        return host.On((in T message, Peer _) => handler(message));
    }

    /// <inheritdoc cref="On{T}(MessageHost, Action{T})"/>
    /// <remarks>The message is copied. With <c>in</c> before the message (<see cref="EventMessageHandler{T, TFrom}"/>), it is not.</remarks>
    public static HandlerRegistration On<T>(this MessageHost host, Action<T, Peer> handler)
    {
        Check(host, handler);
        return host.On((in T message, Peer from) => handler(message, from));
    }

    /// <summary>Registers an asynchronous handler of events of a type, by its declared contract. Handlers start in the order of the messages and may complete in any order.</summary>
    /// <inheritdoc cref="On{T}(MessageHost, Action{T})"/>
    public static HandlerRegistration On<T>(this MessageHost host, Func<T, Task> handler)
    {
        Check(host, handler);
        return host.On((T message, Peer _, CancellationToken _) => new ValueTask(handler(message)));
    }

    /// <inheritdoc cref="On{T}(MessageHost, Func{T, Task})"/>
    public static HandlerRegistration On<T>(this MessageHost host, Func<T, Peer, Task> handler)
    {
        Check(host, handler);
        return host.On((T message, Peer from, CancellationToken _) => new ValueTask(handler(message, from)));
    }

    /// <inheritdoc cref="On{T}(MessageHost, Func{T, Task})"/>
    /// <remarks>The token is canceled when the sender disconnects.</remarks>
    public static HandlerRegistration On<T>(this MessageHost host, Func<T, Peer, CancellationToken, Task> handler)
    {
        Check(host, handler);
        return host.On((T message, Peer from, CancellationToken token) => new ValueTask(handler(message, from, token)));
    }

    private static void Check(MessageHost host, Delegate handler)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(handler);
    }
}

/// <summary>Registers handlers of requests that are ordinary delegates.</summary>
/// <remarks>Extensions, for the reason that <see cref="EventHandlerExtensions"/> gives.</remarks>
public static class RequestHandlerExtensions
{
    /// <summary>Registers a handler of requests of a type, by the declared contracts of the request and the reply. It runs on the thread that receives the request or, in a pumped host, on the thread that calls <c>Pump</c>. Return soon.</summary>
    /// <param name="host">The host.</param>
    /// <param name="handler">The handler. If it throws, the requester receives a fault without the details of the exception. The code and text of a <see cref="RequestFaultException"/> are sent.</param>
    /// <returns>The registration. Dispose to unregister the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler.</exception>
    public static HandlerRegistration OnRequest<TRequest, TReply>(this MessageHost host, Func<TRequest, TReply> handler)
    {
        Check(host, handler);
        return host.OnRequest((in TRequest request, Peer _) => handler(request));
    }

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(MessageHost, Func{TRequest, TReply})"/>
    public static HandlerRegistration OnRequest<TRequest, TReply>(this MessageHost host, Func<TRequest, Peer, TReply> handler)
    {
        Check(host, handler);
        return host.OnRequest((in TRequest request, Peer from) => handler(request, from));
    }

    /// <summary>Registers an asynchronous handler of requests of a type, by the declared contracts of the request and the reply.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(MessageHost, Func{TRequest, TReply})"/>
    public static HandlerRegistration OnRequest<TRequest, TReply>(this MessageHost host, Func<TRequest, Task<TReply>> handler)
    {
        Check(host, handler);
        return host.OnRequest((TRequest request, Peer _, CancellationToken _) => new ValueTask<TReply>(handler(request)));
    }

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(MessageHost, Func{TRequest, Task{TReply}})"/>
    public static HandlerRegistration OnRequest<TRequest, TReply>(this MessageHost host, Func<TRequest, Peer, Task<TReply>> handler)
    {
        Check(host, handler);
        return host.OnRequest((TRequest request, Peer from, CancellationToken _) => new ValueTask<TReply>(handler(request, from)));
    }

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(MessageHost, Func{TRequest, Task{TReply}})"/>
    public static HandlerRegistration OnRequest<TRequest, TReply>(this MessageHost host, Func<TRequest, Peer, CancellationToken, Task<TReply>> handler)
    {
        Check(host, handler);
        return host.OnRequest((TRequest request, Peer from, CancellationToken token) => new ValueTask<TReply>(handler(request, from, token)));
    }

    /// <summary>Registers a handler of requests without a reply, by the declared contract of the request. The requester receives an <see cref="Acknowledgement"/> when the handler returns.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(MessageHost, Func{TRequest, TReply})"/>
    public static HandlerRegistration OnRequest<TRequest>(this MessageHost host, Action<TRequest> handler)
    {
        Check(host, handler);
        return host.OnRequest((in TRequest request, Peer _) =>
        {
            handler(request);
            return default(Acknowledgement);
        });
    }

    /// <inheritdoc cref="OnRequest{TRequest}(MessageHost, Action{TRequest})"/>
    public static HandlerRegistration OnRequest<TRequest>(this MessageHost host, Action<TRequest, Peer> handler)
    {
        Check(host, handler);
        return host.OnRequest((in TRequest request, Peer from) =>
        {
            handler(request, from);
            return default(Acknowledgement);
        });
    }

    /// <summary>Registers an asynchronous handler of requests without a reply, by the declared contract of the request. The requester receives an <see cref="Acknowledgement"/> when the handler completes.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(MessageHost, Func{TRequest, TReply})"/>
    public static HandlerRegistration OnRequest<TRequest>(this MessageHost host, Func<TRequest, Task> handler)
    {
        Check(host, handler);
        return host.OnRequest((TRequest request, Peer _, CancellationToken _) => new ValueTask(handler(request)));
    }

    /// <inheritdoc cref="OnRequest{TRequest}(MessageHost, Func{TRequest, Task})"/>
    public static HandlerRegistration OnRequest<TRequest>(this MessageHost host, Func<TRequest, Peer, Task> handler)
    {
        Check(host, handler);
        return host.OnRequest((TRequest request, Peer from, CancellationToken _) => new ValueTask(handler(request, from)));
    }

    /// <inheritdoc cref="OnRequest{TRequest}(MessageHost, Func{TRequest, Task})"/>
    public static HandlerRegistration OnRequest<TRequest>(this MessageHost host, Func<TRequest, Peer, CancellationToken, Task> handler)
    {
        Check(host, handler);
        return host.OnRequest((TRequest request, Peer from, CancellationToken token) => new ValueTask(handler(request, from, token)));
    }

    private static void Check(MessageHost host, Delegate handler)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(handler);
    }
}
