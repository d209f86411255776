using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

/// <summary>Reads the settings of a host over RabbitMQ from its section, without reflection. Each value is checked by the property that it is for.</summary>
internal static class RabbitSettingsReader
{
    public static void Read(string host, SettingsSection section, RabbitHostSettings settings)
    {
        (settings.Connection, var nodes) = ConnectionReader.Read(section);
        settings.Options = ReadOptions(section, host) with { Endpoints = nodes };
        foreach (var name in section.ReadList(nameof(settings.Answers), static name => AmqpName.Checked(name, AmqpName.MaxName, nameof(RabbitHostSettings.Answers))))
            settings.Answers.Add(name);
        var group = SubscriptionReader.ReadGroup(section);
        section.ReadSections(nameof(settings.Subscriptions), (topic, keys) =>
        {
            if (SubscriptionReader.Read(topic, keys, group) is { } subscription)
                settings.Subscriptions.Add(subscription);
        });
    }

    private static RabbitOptions ReadOptions(SettingsSection section, string host)
    {
        var defaults = new RabbitOptions();
        return new RabbitOptions
        {
            Name = section.ReadText(nameof(defaults.Name), static value => new RabbitOptions { Name = value }) ?? host,
            Scope = section.ReadText(nameof(defaults.Scope), static value => new RabbitOptions { Scope = value }) ?? defaults.Scope,
            RequestTimeout = section.ReadTime(nameof(defaults.RequestTimeout), defaults.RequestTimeout, static value => new RabbitOptions { RequestTimeout = value }),
            BatchDelay = section.ReadTime(nameof(defaults.BatchDelay), defaults.BatchDelay, static value => new RabbitOptions { BatchDelay = value }),
            QueueReplicas = section.ReadOptionalInt(nameof(defaults.QueueReplicas), defaults.QueueReplicas, static value => new RabbitOptions { QueueReplicas = value }),
            ConfirmTimeout = section.ReadTime(nameof(defaults.ConfirmTimeout), defaults.ConfirmTimeout, static value => new RabbitOptions { ConfirmTimeout = value }),
            ConnectTimeout = section.ReadTime(nameof(defaults.ConnectTimeout), defaults.ConnectTimeout, static value => new RabbitOptions { ConnectTimeout = value }),
            StopTimeout = section.ReadTime(nameof(defaults.StopTimeout), defaults.StopTimeout, static value => new RabbitOptions { StopTimeout = value }),
            Prefetch = section.ReadInt(nameof(defaults.Prefetch), defaults.Prefetch, static value => new RabbitOptions { Prefetch = value }),
            MaxQueueLength = section.ReadInt(nameof(defaults.MaxQueueLength), defaults.MaxQueueLength, static value => new RabbitOptions { MaxQueueLength = value }),
            MaxTries = section.ReadInt(nameof(defaults.MaxTries), defaults.MaxTries, static value => new RabbitOptions { MaxTries = value }),
            RetryDelay = section.ReadTime(nameof(defaults.RetryDelay), defaults.RetryDelay, static value => new RabbitOptions { RetryDelay = value }),
            MaxRetryDelay = section.ReadTime(nameof(defaults.MaxRetryDelay), defaults.MaxRetryDelay, static value => new RabbitOptions { MaxRetryDelay = value }),
            HandlerTimeout = section.ReadOptionalTime(nameof(defaults.HandlerTimeout), defaults.HandlerTimeout, static value => new RabbitOptions { HandlerTimeout = value }),
            DeadLetterOverflow = section.ReadName(nameof(defaults.DeadLetterOverflow), defaults.DeadLetterOverflow),
            MessageLimits = section.ReadSection(nameof(defaults.MessageLimits), defaults.MessageLimits, MessageLimitsReader.Read),
            Limits = section.ReadSection(nameof(defaults.Limits), defaults.Limits, ReadLimits),
        };
    }

    /// <summary>Reads the limits that a host over RabbitMQ uses.</summary>
    private static HostLimits ReadLimits(SettingsSection section)
    {
        var defaults = HostLimits.Default;
        return new HostLimits
        {
            MaxPendingBytes = section.ReadInt(nameof(defaults.MaxPendingBytes), defaults.MaxPendingBytes, static value => new HostLimits { MaxPendingBytes = value }),
            MaxUnansweredRequests = section.ReadInt(nameof(defaults.MaxUnansweredRequests), defaults.MaxUnansweredRequests, static value => new HostLimits { MaxUnansweredRequests = value }),
        };
    }
}
