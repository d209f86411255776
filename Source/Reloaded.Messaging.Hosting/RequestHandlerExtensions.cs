using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

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
