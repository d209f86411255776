using System;
using System.Threading;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The at-least-once delivery whose handler runs. The at-least-once messages that the handler publishes are confirmed before the delivery is acknowledged.</summary>
/// <remarks>
/// A thread-static field serves synchronous handlers, which are on the hot path: nothing is allocated for them. Only asynchronous handlers pay for an
/// <see cref="AsyncLocal{T}"/>.
/// </remarks>
internal static class HandlerScope
{
    private static readonly AsyncLocal<Delivery?> s_async = new();

    [ThreadStatic]
    private static Delivery? t_current;

    /// <summary>Makes the current delivery wait for a message.</summary>
    /// <returns>The delivery, to which the result of the message must be reported; <see langword="null"/> if no handler of an open delivery runs here.</returns>
    public static Delivery? Track() => (t_current ?? s_async.Value) is { } delivery && delivery.TryAdd() ? delivery : null;

    /// <summary>Sets the delivery of a synchronous handler that begins; <see langword="null"/> when it has ended.</summary>
    public static void Enter(Delivery? delivery) => t_current = delivery;

    /// <summary>Ends the handler's scope early.</summary>
    public static void Leave()
    {
        t_current = null;
        if (s_async.Value is not null)
            s_async.Value = null;
    }

    /// <summary>Sets the delivery of an asynchronous handler that is called; <see langword="null"/> when it has returned.</summary>
    public static void EnterAsync(Delivery? delivery)
    {
        delivery?.Share();
        s_async.Value = delivery;
    }
}
