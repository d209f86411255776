using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The queue that a subscription needs.</summary>
/// <param name="Role">The purpose.</param>
/// <param name="Topic">The topic, or the name to which requests are sent.</param>
/// <param name="Kind">The delivery guarantee.</param>
/// <param name="Group">The name of the group; <c>null</c> if the queue belongs only to one host.</param>
/// <param name="Prefetch">The maximum number of unsettled messages.</param>
/// <param name="MaxLength">The maximum number of waiting messages.</param>
/// <param name="MaxTries">The maximum number of tries of a message.</param>
internal sealed record SubscribedQueue(ConsumerRole Role, string Topic, DeliveryKind Kind, string? Group, int Prefetch, int MaxLength, int MaxTries)
{
    public SubscribedQueue(ConsumerRole role, string topic, DeliveryKind kind, string? group, RabbitOptions host, SubscriptionOptions own)
        : this(role, topic, kind, group, own.Prefetch ?? host.Prefetch, own.MaxQueueLength ?? host.MaxQueueLength, own.MaxTries ?? host.MaxTries) =>
        (ConcurrentMessageLimit, Filter, Partitions, HandlerTimeout, RetryDelay, MaxRetryDelay) = (
            own.ConcurrentMessageLimit, own.Filter, own.Partitions, own.HandlerTimeout ?? host.HandlerTimeout, own.RetryDelay ?? host.RetryDelay, host.MaxRetryDelay);

    /// <summary>The default of the broker for the time between a delivery and its acknowledgement.</summary>
    public static TimeSpan BrokerTimeout { get; } = TimeSpan.FromMinutes(30);

    /// <summary>Returns the queue of one partition. It delivers one message at a time, so that a message whose handler throws comes again before the next message.</summary>
    public SubscribedQueue PartitionOf(int number) => this with { Partition = number, Prefetch = 1 };

    /// <summary>Whether the queue belongs only to one host. Such a queue is deleted with its connection.</summary>
    public bool IsOwn => Group is null;

    /// <summary>The maximum number of messages whose handlers run at a time; <c>null</c> for no limit except <see cref="Prefetch"/>.</summary>
    public int? ConcurrentMessageLimit { get; }

    /// <summary>Runs around the handlers; <c>null</c> for none.</summary>
    public MessageFilter? Filter { get; }

    /// <summary>The number of partitions of the group; 0 if the group has one queue without partitions.</summary>
    public int Partitions { get; }

    /// <summary>The number of this partition (at least 0); <c>null</c> for the whole group.</summary>
    public int? Partition { get; private init; }

    /// <summary>The time that the broker allows between a delivery and its acknowledgement; <c>null</c> for the setting of the broker.</summary>
    public TimeSpan? HandlerTimeout { get; }

    /// <summary>The delay before the second try of a message. Zero returns the message at once.</summary>
    public TimeSpan RetryDelay { get; }

    /// <summary>The longest delay between two tries of a message.</summary>
    public TimeSpan MaxRetryDelay { get; }
}

/// <summary>The purpose of a queue, which determines the messages that it may contain.</summary>
internal enum ConsumerRole
{
    /// <summary>Events of topics.</summary>
    Events = 0,

    /// <summary>Requests to the id of this host, or to a name that several hosts may use.</summary>
    Requests,

    /// <summary>Replies to this host. They are separate from requests, because the handler of a request may wait for a reply.</summary>
    Replies,
}
