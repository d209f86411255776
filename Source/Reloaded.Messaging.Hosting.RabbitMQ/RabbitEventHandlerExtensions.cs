using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Registers handlers of events that are ordinary delegates.</summary>
/// <remarks>
/// An asynchronous lambda fits a <see cref="Task"/>, a <see cref="ValueTask"/> and an <see cref="Action"/>, and the compiler would refuse it as ambiguous. It considers
/// an extension only if no method of <see cref="RabbitHost"/> fits, so such a lambda becomes a <see cref="ValueTask"/> by the methods there.
/// </remarks>
public static class RabbitEventHandlerExtensions
{
    /// <summary>Registers a handler of events of a type, by its declared contract. It runs on the thread that receives the message or, in a pumped host, on the thread that calls <c>Pump</c>. Return soon.</summary>
    /// <param name="host">The host.</param>
    /// <param name="handler">The handler of a message and, if it wants them, its sender and a token. Its exceptions are counted and reported by <see cref="RabbitHost.HandlerFailed"/>.</param>
    /// <returns>The registration. Dispose to unregister the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler.</exception>
    public static HandlerRegistration On<T>(this RabbitHost host, Action<T> handler)
    {
        Check(host, handler);
        return host.On((in T message, Origin _) => handler(message));
    }

    /// <inheritdoc cref="On{T}(RabbitHost, Action{T})"/>
    /// <remarks>The message is copied. With <c>in</c> before the message (<see cref="EventMessageHandler{T, TFrom}"/>), it is not.</remarks>
    public static HandlerRegistration On<T>(this RabbitHost host, Action<T, Origin> handler)
    {
        Check(host, handler);
        return host.On((in T message, Origin from) => handler(message, from));
    }

    /// <summary>Registers an asynchronous handler of events of a type, by its declared contract. Handlers start in the order of the messages and may complete in any order.</summary>
    /// <inheritdoc cref="On{T}(RabbitHost, Action{T})"/>
    public static HandlerRegistration On<T>(this RabbitHost host, Func<T, Task> handler)
    {
        Check(host, handler);
        return host.On((T message, Origin _, CancellationToken _) => new ValueTask(handler(message)));
    }

    /// <inheritdoc cref="On{T}(RabbitHost, Func{T, Task})"/>
    public static HandlerRegistration On<T>(this RabbitHost host, Func<T, Origin, Task> handler)
    {
        Check(host, handler);
        return host.On((T message, Origin from, CancellationToken _) => new ValueTask(handler(message, from)));
    }

    /// <inheritdoc cref="On{T}(RabbitHost, Func{T, Task})"/>
    /// <remarks>The token is canceled when the host is disposed and <see cref="RabbitOptions.StopTimeout"/> has passed.</remarks>
    public static HandlerRegistration On<T>(this RabbitHost host, Func<T, Origin, CancellationToken, Task> handler)
    {
        Check(host, handler);
        return host.On((T message, Origin from, CancellationToken token) => new ValueTask(handler(message, from, token)));
    }

    private static void Check(RabbitHost host, Delegate handler)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(handler);
    }
}
