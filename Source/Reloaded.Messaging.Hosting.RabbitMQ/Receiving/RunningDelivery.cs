namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>An at-least-once delivery that is not settled.</summary>
/// <param name="Delivery">The delivery, with a copy of the body.</param>
/// <param name="StartedAt">The time at which its first handler was called, in milliseconds.</param>
internal record struct RunningDelivery(Delivery Delivery, long StartedAt)
{
    /// <summary>Whether the host has reported that the handler runs for long.</summary>
    public bool IsReported { get; set; }

    /// <summary>The entry by which a redelivery finds this delivery; <c>null</c> while the consumer receives.</summary>
    public AbandonedDelivery? Abandoned { get; set; }
}
