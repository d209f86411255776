namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A delivery that lost its channel while its handler ran.</summary>
/// <param name="id">The identity of the message.</param>
internal sealed class AbandonedDelivery(MessageId id)
{
    /// <summary>The identity of the message.</summary>
    public MessageId Id => id;

    /// <summary>The outcome of the handler; <c>null</c> while the handler runs.</summary>
    public Outcome? Outcome { get; set; }

    /// <summary>The redelivery that waits for the end of the handler; the default value before the message is delivered again.</summary>
    public Redelivery Redelivery { get; set; }
}
