using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

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
