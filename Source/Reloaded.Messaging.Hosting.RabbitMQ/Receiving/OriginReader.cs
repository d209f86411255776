using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Reads the origin of a delivery.</summary>
internal static class OriginReader
{
    /// <summary>The header in which the broker counts how often it delivered a message before.</summary>
    public const string DeliveryCountHeader = "x-delivery-count";

    /// <summary>Returns the origin of a delivery. The origin of a batch is that of its first message.</summary>
    /// <param name="redelivered">Whether the broker has delivered the message before.</param>
    /// <param name="exchange">The exchange to which the message was published.</param>
    /// <param name="topic">The routing key.</param>
    /// <param name="properties">The properties.</param>
    /// <param name="events">The exchange of at-least-once topics.</param>
    public static Origin Read(bool redelivered, string exchange, string topic, IReadOnlyBasicProperties properties, string events)
    {
        var (isRepeated, tries) = (redelivered, redelivered ? 2 : 1);
        if (properties.Headers is { Count: > 0 } headers)
        {
            isRepeated |= headers.ContainsKey(TopologyNames.RepeatedHeader);
            if (headers.TryGetValue(DeliveryCountHeader, out var value) && value is long count and > 0 and < int.MaxValue)
                tries = (int)count + 1;
            if (headers.TryGetValue(DeadLetters.DeathsHeader, out var deaths))
            {
                isRepeated = true; // a delayed message, or a dead letter
                tries += RetryHeaders.TriesOf(headers);
            }

            if (exchange != events)
                topic = RetryHeaders.TopicOf(headers) ?? DeadLetters.TopicOf(deaths, events) ?? topic;
        }

        var number = properties.IsTimestampPresent() && properties.Timestamp.UnixTime > 0 ? (ulong)properties.Timestamp.UnixTime : 0;
        return new Origin(properties.AppId ?? "", topic, number, isRepeated, tries);
    }
}
