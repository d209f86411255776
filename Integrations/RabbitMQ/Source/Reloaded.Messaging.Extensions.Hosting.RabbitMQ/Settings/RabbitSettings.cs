using System;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

/// <summary>The settings of a host over RabbitMQ, and the tables by which its section is read.</summary>
/// <param name="Host">The settings of the host, to which the names and the subscriptions of the section are added.</param>
/// <param name="Connection">The settings of the connection.</param>
/// <param name="Options">The options of the host. Each value is checked by the property that it is for.</param>
/// <param name="Group">The group of at-least-once subscriptions without a group.</param>
internal sealed record RabbitSettings(RabbitHostSettings Host, ConnectionSettings Connection, RabbitOptions Options, string? Group)
{
    /// <summary>The limit that a host over RabbitMQ uses.</summary>
    private static readonly SettingsTable<HostLimits> s_limits = new SettingsTable<HostLimits>()
        .Int(nameof(HostLimits.MaxPendingBytes), static (limits, value) => limits with { MaxPendingBytes = value });

    private static readonly SettingsTable<RabbitOptions> s_options = new SettingsTable<RabbitOptions>()
        .Text(nameof(RabbitOptions.Name), static (options, value) => options with { Name = value })
        .Text(nameof(RabbitOptions.Scope), static (options, value) => options with { Scope = value })
        .Time(nameof(RabbitOptions.RequestTimeout), static (options, value) => options with { RequestTimeout = value })
        .Time(nameof(RabbitOptions.BatchDelay), static (options, value) => options with { BatchDelay = value })
        .Flag(nameof(RabbitOptions.DeclaresTopology), static (options, value) => options with { DeclaresTopology = value })
        .Int(nameof(RabbitOptions.QueueReplicas), static (options, value) => options with { QueueReplicas = value })
        .Time(nameof(RabbitOptions.StopTimeout), static (options, value) => options with { StopTimeout = value })
        .Int(nameof(RabbitOptions.MaxQueueLength), static (options, value) => options with { MaxQueueLength = value })
        .Name<FullMode>(nameof(RabbitOptions.DeadLetterFullMode), static (options, value) => options with { DeadLetterFullMode = value }, FullMode.DropOldest, FullMode.Wait)
        .Section(nameof(RabbitOptions.MessageLimits), MessageLimitsSettings.Table, MessageLimits.Default, static (options, value) => options with { MessageLimits = value })
        .Section(nameof(RabbitOptions.Limits), s_limits, HostLimits.Default, static (options, value) => options with { Limits = value });

    private static readonly SettingsTable<SubscriptionOptions> s_subscriptionOptions = new SettingsTable<SubscriptionOptions>()
        .Int(nameof(SubscriptionOptions.Prefetch), static (options, value) => options with { Prefetch = value })
        .Int(nameof(SubscriptionOptions.MaxTries), static (options, value) => options with { MaxTries = value })
        .Time(nameof(SubscriptionOptions.RetryDelay), static (options, value) => options with { RetryDelay = value })
        .Time(nameof(SubscriptionOptions.HandlerTimeout), static (options, value) => options with { HandlerTimeout = value })
        .Int(nameof(SubscriptionOptions.Partitions), static (options, value) => options with { Partitions = value })
        .Int(nameof(SubscriptionOptions.ConcurrentMessageLimit), static (options, value) => options with { ConcurrentMessageLimit = value });

    private static readonly SettingsTable<RabbitSubscription> s_subscription = new SettingsTable<RabbitSubscription>()
        .Text(nameof(RabbitSubscription.Topic), static (subscription, value) => subscription with { Topic = value })
        .Name<DeliveryKind>(nameof(RabbitSubscription.Kind), static (subscription, value) => subscription with { Kind = value })
        .Text(nameof(RabbitSubscription.Group), static (subscription, value) => subscription with { Group = CheckGroup(value) })
        .Include(s_subscriptionOptions, static subscription => subscription.Options, static (subscription, value) => subscription with { Options = value });

    private static readonly SettingsTable<RabbitSettings> s_host = new SettingsTable<RabbitSettings>()
        .Include(ConnectionSettings.Table, static settings => settings.Connection, static (settings, value) => settings with { Connection = value })
        .Include(s_options, static settings => settings.Options, static (settings, value) => settings with { Options = value })
        .List(nameof(RabbitHostSettings.Answers), AddAnswers)
        .Text(nameof(Group), static (settings, value) => settings with { Group = CheckGroup(value) })
        .Add(nameof(RabbitHostSettings.Subscriptions), AddSubscriptions);

    /// <summary>Reads the section of a host, without reflection. The errors are added to the section.</summary>
    public static void Read(string name, SettingsSection section, RabbitHostSettings host)
    {
        var settings = s_host.Read(section, new RabbitSettings(host, new ConnectionSettings(), new RabbitOptions(), null));
        (host.Connection, var nodes) = settings.Connection.CreateFactory(section);
        host.Options = settings.Options with { Endpoints = nodes, Name = section.Has(nameof(RabbitOptions.Name)) ? settings.Options.Name : name };
    }

    private static string CheckGroup(string value) => AmqpName.CheckedPart(value, AmqpName.MaxName, nameof(Group));

    private static RabbitSettings AddAnswers(RabbitSettings settings, string[] names)
    {
        foreach (var name in names)
            settings.Host.Answers.Add(AmqpName.Checked(name, AmqpName.MaxName, nameof(RabbitHostSettings.Answers)));
        return settings;
    }

    /// <summary>Adds the subscriptions, after <see cref="Group"/> was read. The name of a subsection is the topic, unless it has the key <c>Topic</c>.</summary>
    private static RabbitSettings AddSubscriptions(SettingsSection section, string key, RabbitSettings settings)
    {
        foreach (var (topic, found) in section.FindAll(key))
            settings.Add(s_subscription.Read(found, new RabbitSubscription(topic)), found);
        return settings;
    }

    private void Add(RabbitSubscription subscription, SettingsSection section)
    {
        if (subscription is { Kind: DeliveryKind.AtLeastOnce, Group: null })
            subscription = subscription with { Group = Group };
        if (subscription is { Kind: DeliveryKind.AtLeastOnce, Group: null })
        {
            section.AddError(nameof(Group), "", "An at-least-once subscription needs a group, under which the broker stores the messages. Set it here, or for all subscriptions in the section of the host.");
            return;
        }

        try
        {
            SubscriptionRules.Check(subscription.Topic, subscription.Kind, subscription.Group, subscription.Options);
            Host.Subscriptions.Add(subscription);
        }
        catch (ArgumentException e)
        {
            section.AddError(e.Message);
        }
    }
}
