using System;
using System.Collections.Generic;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

/// <summary>The settings of a host over RabbitMQ that was added to the services. They are read from the configuration section <c>Messaging:NAME</c>.</summary>
/// <remarks>
/// <c>services.Configure&lt;RabbitHostSettings&gt;(name, …)</c> changes them after the section was read, for example
/// <c>settings.Options = settings.Options with { BatchDelay = delay }</c>. Settings are read once, when the program starts.
/// </remarks>
public sealed class RabbitHostSettings
{
    /// <summary>The address of the broker, the credentials and TLS, as settings of the client library. Required.</summary>
    public ConnectionFactory? Connection { get; set; }

    /// <summary>The options of the host.</summary>
    public RabbitOptions Options { get; set; } = new();

    /// <summary>The subscriptions with which the host starts.</summary>
    public IList<RabbitSubscription> Subscriptions { get; } = [];

    /// <summary>The names to which requests are sent that the host replies to. Each has up to 64 bytes of UTF-8.</summary>
    public IList<string> Answers { get; } = [];

    /// <summary>Returns the first error of settings that code may have changed; otherwise, <c>null</c>.</summary>
    internal string? FindError(string host)
    {
        if (Connection is null)
            return $"The value of 'Messaging:{host}:Endpoint' is missing. Set it, for example to 'amqp://localhost', or set {nameof(RabbitHostSettings)}.{nameof(Connection)} in code.";
        try
        {
            foreach (var subscription in Subscriptions)
                SubscriptionRules.Check(subscription.Topic, subscription.Kind, subscription.Group, subscription.Options);
            foreach (var name in Answers)
                AmqpName.Checked(name, AmqpName.MaxName, nameof(Answers));
            return null;
        }
        catch (ArgumentException e)
        {
            return $"The settings of the host '{host}' are not valid. {e.Message}";
        }
    }
}

/// <summary>A subscription with which a host starts.</summary>
/// <param name="Topic">The topic, as for <see cref="RabbitHost.Subscribe"/>.</param>
/// <param name="Kind">The delivery guarantee. Publishers must use the same kind.</param>
/// <param name="Group">The name of the group; <c>null</c>, which is allowed only at most once, to receive all messages.</param>
public sealed record RabbitSubscription(string Topic, DeliveryKind Kind = DeliveryKind.AtMostOnce, string? Group = null)
{
    /// <summary>The options of the subscription (default: <see cref="SubscriptionOptions.Default"/>).</summary>
    public SubscriptionOptions Options { get; init; } = SubscriptionOptions.Default;
}
