using System;
using System.Threading;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The delivery of the kind at least once whose handler runs. What the handler publishes at least once is confirmed before the delivery is acknowledged.</summary>
/// <remarks>
/// A thread-static field serves synchronous handlers, which are on the hot path: nothing is allocated unless the handler publishes. Only
/// asynchronous handlers pay for an <see cref="AsyncLocal{T}"/>.
/// </remarks>
internal static class HandlerScope
{
    private static readonly AsyncLocal<PendingDelivery?> s_async = new();

    [ThreadStatic]
    private static SynchronousDelivery? t_current;

    /// <summary>Has the current delivery wait for a message.</summary>
    /// <returns>The delivery, which has to be told of the message's end; <see langword="null"/> if no handler of a delivery runs here.</returns>
    public static PendingDelivery? Track()
    {
        var delivery = t_current is { } current ? current.Pending : s_async.Value;
        return delivery?.TryAdd() == true ? delivery : null;
    }

    /// <summary>A synchronous handler begins, or has ended: <see langword="null"/>.</summary>
    public static void Enter(SynchronousDelivery? delivery) => t_current = delivery;

    /// <summary>Ends the handler's scope early.</summary>
    public static void Leave()
    {
        t_current = null;
        if (s_async.Value is not null)
            s_async.Value = null;
    }

    /// <summary>An asynchronous handler is called, or has returned: <see langword="null"/>.</summary>
    public static void EnterAsync(PendingDelivery? delivery) => s_async.Value = delivery;
}
