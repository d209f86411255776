using System;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

/// <summary>Reads a subscription with its options. The name of its subsection is the topic, unless it has the key <c>Topic</c>.</summary>
internal static class SubscriptionReader
{
    /// <param name="name">The name of the subsection.</param>
    /// <param name="section">The subsection.</param>
    /// <param name="hostGroup">The group of at-least-once subscriptions without a group.</param>
    /// <returns>The subscription, or <c>null</c> if it is not valid.</returns>
    public static RabbitSubscription? Read(string name, SettingsSection section, string? hostGroup)
    {
        var topic = section.ReadText(nameof(RabbitSubscription.Topic)) ?? name;
        var kind = section.ReadName(nameof(RabbitSubscription.Kind), DeliveryKind.AtMostOnce);
        var group = ReadGroup(section);
        var options = ReadOptions(section);
        if (kind == DeliveryKind.AtLeastOnce && (group ??= hostGroup) is null)
        {
            section.AddError(nameof(RabbitSubscription.Group), "", "An at-least-once subscription needs a group, under which the broker stores the messages. Set it here, or for all subscriptions in the section of the host.");
            return null;
        }

        try
        {
            SubscriptionRules.Check(topic, kind, group, options);
            return new RabbitSubscription(topic, kind, group) { Options = options };
        }
        catch (ArgumentException e)
        {
            section.AddError(e.Message);
            return null;
        }
    }

    public static string? ReadGroup(SettingsSection section) =>
        section.ReadText(nameof(RabbitSubscription.Group), static value => AmqpName.CheckedPart(value, AmqpName.MaxName, nameof(RabbitSubscription.Group)));

    private static SubscriptionOptions ReadOptions(SettingsSection section)
    {
        var defaults = SubscriptionOptions.Default;
        return new SubscriptionOptions
        {
            Prefetch = section.ReadOptionalInt(nameof(defaults.Prefetch), null, static value => new SubscriptionOptions { Prefetch = value }),
            MaxQueueLength = section.ReadOptionalInt(nameof(defaults.MaxQueueLength), null, static value => new SubscriptionOptions { MaxQueueLength = value }),
            MaxTries = section.ReadOptionalInt(nameof(defaults.MaxTries), null, static value => new SubscriptionOptions { MaxTries = value }),
            RetryDelay = section.ReadOptionalTime(nameof(defaults.RetryDelay), null, static value => new SubscriptionOptions { RetryDelay = value }),
            MaxRetryDelay = section.ReadOptionalTime(nameof(defaults.MaxRetryDelay), null, static value => new SubscriptionOptions { MaxRetryDelay = value }),
            HandlerTimeout = section.ReadOptionalTime(nameof(defaults.HandlerTimeout), null, static value => new SubscriptionOptions { HandlerTimeout = value }),
            SingleActiveConsumer = section.ReadFlag(nameof(defaults.SingleActiveConsumer), defaults.SingleActiveConsumer),
            Partitions = section.ReadInt(nameof(defaults.Partitions), defaults.Partitions, static value => new SubscriptionOptions { Partitions = value }),
            Priority = section.ReadInt(nameof(defaults.Priority), defaults.Priority, static value => new SubscriptionOptions { Priority = value }),
            ExpiresAfter = section.ReadOptionalTime(nameof(defaults.ExpiresAfter), null, static value => new SubscriptionOptions { ExpiresAfter = value }),
        };
    }
}
