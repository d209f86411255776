using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The options of one subscription. Immutable. Hosts that share a queue must use the same values, except for <see cref="Prefetch"/>, <see cref="HandlerTimeout"/> and <see cref="RetryDelay"/>.</summary>
public sealed record SubscriptionOptions
{
    /// <summary>The default options, which use the values of <see cref="RabbitOptions"/>.</summary>
    public static SubscriptionOptions Default { get; } = new();

    /// <summary>The maximum number of messages that the subscription has received and not handled (1–65535; default: <c>null</c>, 256).</summary>
    public int? Prefetch
    {
        get;
        init => field = value is { } count ? Guard.Between(1, ushort.MaxValue, count) : null;
    }

    /// <summary>The maximum number of messages that wait in the queue; <c>null</c> for <see cref="RabbitOptions.MaxQueueLength"/>. Constant: the broker has room for all queues of a host.</summary>
    internal int? MaxQueueLength { get; init; }

    /// <summary>
    /// The number of tries of an at-least-once message before it becomes a dead letter (1–1000; default: <c>null</c>, 5). A handler that throws costs a try. A
    /// consumer that dies costs a try for each message that it had received, except for the first time. A consumer that starts takes one message at a
    /// time while messages are redelivered.
    /// </summary>
    public int? MaxTries
    {
        get;
        init => field = value is { } tries ? Guard.Between(1, 1000, tries) : null;
    }

    /// <summary>
    /// The delay before the second try of an at-least-once message whose handler threw (0–1 h; default: <c>null</c>, 1 s). It doubles with each try, up to 1 minute. A longer delay stays the same for each try. The delays are
    /// rounded up to powers of two milliseconds (64 ms or more): 1 s becomes 1.024 s. Other messages are handled meanwhile. 0 returns the message at once.
    /// </summary>
    public TimeSpan? RetryDelay
    {
        get;
        init => field = value is { } time ? Guard.Between(TimeSpan.Zero, RabbitMQ.RetryDelay.Max, time) : null;
    }

    /// <summary>
    /// The time that the broker allows between a delivery and its acknowledgement (1 s to 24 days; default: <c>null</c>, the <c>consumer_timeout</c> of the
    /// broker, which is 30 minutes by default). RabbitMQ 3.12 and later use this value. Earlier versions use only their <c>consumer_timeout</c>: pass the same
    /// value here. The broker checks about once a minute. A handler that runs longer costs a redelivery, and <see cref="RabbitHost.HandlerStalled"/> reports it before.
    /// </summary>
    public TimeSpan? HandlerTimeout
    {
        get;
        init => field = value is { } time ? Guard.Between(TimeSpan.FromSeconds(1), TimeSpan.FromDays(24), time) : null;
    }

    /// <summary>
    /// The number of partitions of an at-least-once group (1–64; default: 0, no partitions). The messages of one key are handled one after the other, in
    /// order, by one host at a time: see <see cref="RabbitHost.Publish{T}(string, in T, string)"/>. The hosts of the group share the partitions.
    /// <see cref="Prefetch"/> is not used. All hosts of the group must use the same value.
    /// </summary>
    public int Partitions { get; init => field = Guard.Between(0, PartitionSlot.Count, value); }

    /// <summary>
    /// The maximum number of messages whose asynchronous handlers run at a time (1–65535; default: <c>null</c>, <see cref="Prefetch"/>). The messages above it
    /// wait in this host. A batch counts as one message. Synchronous handlers run one at a time in any case. Does not apply to partitions.
    /// </summary>
    public int? ConcurrentMessageLimit
    {
        get;
        init => field = value is { } limit ? Guard.Between(1, ushort.MaxValue, limit) : null;
    }

    /// <summary>Runs around the handlers of each at-least-once message, for example in a transaction of a database (default: <c>null</c>, none). With a filter, synchronous handlers of different messages run concurrently, up to <see cref="ConcurrentMessageLimit"/>.</summary>
    public MessageFilter? Filter { get; init; }
}

/// <summary>Runs around the handler of an at-least-once message. It can skip the handler of a message that was handled before, and commit the changes of the handler together with the mark "handled".</summary>
/// <remarks>A message counts as handled when the filter has ended. If the filter throws, the message is tried again. An exception of <paramref name="handle"/> must leave the filter.</remarks>
/// <param name="from">The origin of the message.</param>
/// <param name="handle">Calls the handler, at most once. Throws the exception of the handler, and also when the message has no handler or cannot be read.</param>
/// <param name="cancellationToken">Canceled when the host is disposed and <see cref="RabbitOptions.StopTimeout"/> has passed.</param>
public delegate ValueTask MessageFilter(Origin from, Func<ValueTask> handle, CancellationToken cancellationToken);

/// <summary>The delivery guarantee of a topic's messages. Publisher and subscriber must use the same kind.</summary>
public enum DeliveryKind
{
    /// <summary>Each message arrives once or not at all. Messages are not stored, confirmed or sent again. Missing messages are counted.</summary>
    AtMostOnce = 0,

    /// <summary>
    /// Each message arrives once or more often. The broker stores it, the publisher keeps it until the broker confirms it, and it is acknowledged
    /// after its handler has ended. A copy is marked (<see cref="Origin.IsRepeated"/>), and may arrive before its original.
    /// </summary>
    AtLeastOnce,
}
