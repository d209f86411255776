using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Checks that the parts of a subscription fit together.</summary>
internal static class SubscriptionRules
{
    /// <exception cref="ArgumentException">Thrown when a name is not valid, or when an option does not apply.</exception>
    public static void Check(string topic, DeliveryKind kind, string? group, SubscriptionOptions options)
    {
        AmqpName.Checked(topic, AmqpName.MaxTopic, nameof(topic));
        if (group is not null)
            AmqpName.CheckedPart(group, AmqpName.MaxName, nameof(group));
        else if (kind == DeliveryKind.AtLeastOnce)
            throw new ArgumentException($"The at-least-once subscription to '{topic}' has no group. Pass the name of a group, under which the broker stores the messages.", nameof(group));
        if (kind == DeliveryKind.AtMostOnce && options.MaxTries is { } tries)
            throw new ArgumentException($"The subscription to '{topic}' is at most once and has {nameof(SubscriptionOptions.MaxTries)} = {tries}. At-most-once messages are tried once. Remove the option.", nameof(options));
        if (options.Filter is not null && kind == DeliveryKind.AtMostOnce)
            throw new ArgumentException($"The subscription to '{topic}' is at most once and has a {nameof(SubscriptionOptions.Filter)}. Subscribe at least once, or remove the option.", nameof(options));
        if (options.Partitions > 0 && kind == DeliveryKind.AtMostOnce)
            throw new ArgumentException($"The subscription to '{topic}' is at most once and has {nameof(SubscriptionOptions.Partitions)} = {options.Partitions}. Subscribe at least once, or remove the option.", nameof(options));
        if (options.Partitions > 0 && (options.Prefetch is not null || options.ConcurrentMessageLimit is not null))
            throw new ArgumentException($"The subscription to '{topic}' has {nameof(SubscriptionOptions.Partitions)} = {options.Partitions}. {nameof(SubscriptionOptions.Prefetch)} and {nameof(SubscriptionOptions.ConcurrentMessageLimit)} do not apply to partitions. Remove them.", nameof(options));
        if (kind == DeliveryKind.AtMostOnce && options.RetryDelay is { } delay)
            throw new ArgumentException($"The subscription to '{topic}' is at most once and has a delay of {delay} between tries. At-most-once messages are tried once. Remove {nameof(SubscriptionOptions.RetryDelay)}.", nameof(options));
    }
}
