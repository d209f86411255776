using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Registers handlers of requests that are ordinary delegates.</summary>
/// <remarks>Extensions, for the reason that <see cref="RabbitEventHandlerExtensions"/> gives.</remarks>
public static class RabbitRequestHandlerExtensions
{
    /// <summary>Registers a handler of requests of a type, by the declared contracts of the request and the reply. It runs on the thread that receives the request or, in a pumped host, on the thread that calls <c>Pump</c>. Return soon.</summary>
    /// <param name="host">The host.</param>
    /// <param name="handler">The handler. If it throws, the requester receives a fault without the details of the exception. The code and text of a <see cref="RequestFaultException"/> are sent.</param>
    /// <returns>The registration. Dispose to unregister the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler.</exception>
    public static HandlerRegistration OnRequest<TRequest, TReply>(this RabbitHost host, Func<TRequest, TReply> handler)
    {
        Check(host, handler);
        return host.OnRequest((in TRequest request, Origin _) => handler(request));
    }

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(RabbitHost, Func{TRequest, TReply})"/>
    public static HandlerRegistration OnRequest<TRequest, TReply>(this RabbitHost host, Func<TRequest, Origin, TReply> handler)
    {
        Check(host, handler);
        return host.OnRequest((in TRequest request, Origin from) => handler(request, from));
    }

    /// <summary>Registers an asynchronous handler of requests of a type, by the declared contracts of the request and the reply.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(RabbitHost, Func{TRequest, TReply})"/>
    public static HandlerRegistration OnRequest<TRequest, TReply>(this RabbitHost host, Func<TRequest, Task<TReply>> handler)
    {
        Check(host, handler);
        return host.OnRequest((TRequest request, Origin _, CancellationToken _) => new ValueTask<TReply>(handler(request)));
    }

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(RabbitHost, Func{TRequest, Task{TReply}})"/>
    public static HandlerRegistration OnRequest<TRequest, TReply>(this RabbitHost host, Func<TRequest, Origin, Task<TReply>> handler)
    {
        Check(host, handler);
        return host.OnRequest((TRequest request, Origin from, CancellationToken _) => new ValueTask<TReply>(handler(request, from)));
    }

    /// <inheritdoc cref="OnRequest{TRequest, TReply}(RabbitHost, Func{TRequest, Task{TReply}})"/>
    public static HandlerRegistration OnRequest<TRequest, TReply>(this RabbitHost host, Func<TRequest, Origin, CancellationToken, Task<TReply>> handler)
    {
        Check(host, handler);
        return host.OnRequest((TRequest request, Origin from, CancellationToken token) => new ValueTask<TReply>(handler(request, from, token)));
    }

    /// <summary>Registers a handler of requests without a reply, by the declared contract of the request. The requester receives an <see cref="Acknowledgement"/> when the handler returns.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(RabbitHost, Func{TRequest, TReply})"/>
    public static HandlerRegistration OnRequest<TRequest>(this RabbitHost host, Action<TRequest> handler)
    {
        Check(host, handler);
        return host.OnRequest((in TRequest request, Origin _) =>
        {
            handler(request);
            return default(Acknowledgement);
        });
    }

    /// <inheritdoc cref="OnRequest{TRequest}(RabbitHost, Action{TRequest})"/>
    public static HandlerRegistration OnRequest<TRequest>(this RabbitHost host, Action<TRequest, Origin> handler)
    {
        Check(host, handler);
        return host.OnRequest((in TRequest request, Origin from) =>
        {
            handler(request, from);
            return default(Acknowledgement);
        });
    }

    /// <summary>Registers an asynchronous handler of requests without a reply, by the declared contract of the request. The requester receives an <see cref="Acknowledgement"/> when the handler completes.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReply}(RabbitHost, Func{TRequest, TReply})"/>
    public static HandlerRegistration OnRequest<TRequest>(this RabbitHost host, Func<TRequest, Task> handler)
    {
        Check(host, handler);
        return host.OnRequest((TRequest request, Origin _, CancellationToken _) => new ValueTask(handler(request)));
    }

    /// <inheritdoc cref="OnRequest{TRequest}(RabbitHost, Func{TRequest, Task})"/>
    public static HandlerRegistration OnRequest<TRequest>(this RabbitHost host, Func<TRequest, Origin, Task> handler)
    {
        Check(host, handler);
        return host.OnRequest((TRequest request, Origin from, CancellationToken _) => new ValueTask(handler(request, from)));
    }

    /// <inheritdoc cref="OnRequest{TRequest}(RabbitHost, Func{TRequest, Task})"/>
    public static HandlerRegistration OnRequest<TRequest>(this RabbitHost host, Func<TRequest, Origin, CancellationToken, Task> handler)
    {
        Check(host, handler);
        return host.OnRequest((TRequest request, Origin from, CancellationToken token) => new ValueTask(handler(request, from, token)));
    }

    private static void Check(RabbitHost host, Delegate handler)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(handler);
    }
}
