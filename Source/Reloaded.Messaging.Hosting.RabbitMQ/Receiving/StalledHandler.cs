using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>An at-least-once message whose handler has run for most of the time that the broker allows.</summary>
/// <param name="Subscription">The subscription that received the message.</param>
/// <param name="From">The origin of the message, or of the first message of a batch.</param>
/// <param name="Elapsed">The time since the call of the handler.</param>
/// <param name="Timeout">The time that the broker allows: <see cref="SubscriptionOptions.HandlerTimeout"/>, or 30 minutes.</param>
public sealed record StalledHandler(Subscription Subscription, Origin From, TimeSpan Elapsed, TimeSpan Timeout);
