namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The options of one at-least-once message.</summary>
public readonly record struct PublishOptions
{
    /// <summary>The largest number of bytes of an id. AMQP allows 255.</summary>
    private const int MaxId = 255;

    /// <summary>
    /// The id of the message (1–255 bytes of UTF-8; default: <c>null</c>, none), which receivers read from <see cref="Origin.MessageId"/>. A program that may publish the
    /// same message twice passes the same id both times, so that a receiver recognizes the second one. A message with an id is not sent in a batch.
    /// </summary>
    public string? MessageId { get; init => field = value is null ? null : AmqpName.Checked(value, MaxId); }

    /// <summary>The key, such as the id of a player (default: <c>null</c>, none). Groups with <see cref="SubscriptionOptions.Partitions"/> handle the messages of one key in order. Other groups ignore the key.</summary>
    public string? Key { get; init; }
}
