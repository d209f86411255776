using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

/// <summary>A subscription with which a host starts.</summary>
/// <param name="Topic">The topic, as for <see cref="RabbitHost.Subscribe"/>.</param>
/// <param name="Kind">The delivery guarantee. Publishers must use the same kind.</param>
/// <param name="Group">The name of the group; <c>null</c>, which is allowed only at most once, to receive all messages.</param>
public sealed record RabbitSubscription(string Topic, DeliveryKind Kind = DeliveryKind.AtMostOnce, string? Group = null)
{
    /// <summary>The options of the subscription (default: <see cref="SubscriptionOptions.Default"/>).</summary>
    public SubscriptionOptions Options { get; init; } = SubscriptionOptions.Default;
}
