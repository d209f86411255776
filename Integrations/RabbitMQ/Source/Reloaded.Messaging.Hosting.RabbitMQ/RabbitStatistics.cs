namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The counters of a host at one time. Each counter is exact. The counters are read one after the other, not at the same instant.</summary>
/// <remarks>Each property is a count since the host was created, except <see cref="Unconfirmed"/> and <see cref="StalledTopics"/>, which are current. The object does not change.</remarks>
public sealed record RabbitStatistics
{
    private readonly Counters<RabbitCounter> _counts;

    /// <summary>Creates statistics in which each value is 0. <see cref="RabbitHost.GetStatistics"/> returns those of a host.</summary>
    public RabbitStatistics() => _counts = new();

    internal RabbitStatistics(Counters<RabbitCounter> counts) => _counts = counts.Copy();

    private RabbitStatistics(RabbitStatistics original) => _counts = original._counts.Copy();

    /// <summary>The counters. Do not change them.</summary>
    internal Counters<RabbitCounter> Counts => _counts;

    /// <summary>The number of lost connections.</summary>
    public long Disconnects { get => _counts[RabbitCounter.Disconnects]; init => _counts[RabbitCounter.Disconnects] = value; }

    /// <summary>The number of failed attempts to connect. The attempt of <see cref="RabbitHost.ConnectAsync"/> throws and does not count.</summary>
    public long FailedConnects { get => _counts[RabbitCounter.FailedConnects]; init => _counts[RabbitCounter.FailedConnects] = value; }

    /// <summary>The number of subscriptions that the broker refused over a new connection, or ended. Each attempt counts.</summary>
    public long FailedSubscriptions { get => _counts[RabbitCounter.FailedSubscriptions]; init => _counts[RabbitCounter.FailedSubscriptions] = value; }

    /// <summary>The number of at-least-once messages that wait in this host now, because the broker has not confirmed them.</summary>
    public long Unconfirmed { get => _counts[RabbitCounter.Unconfirmed]; init => _counts[RabbitCounter.Unconfirmed] = value; }

    /// <summary>The number of at-least-once messages that were sent again, because the result of the first publication is unknown.</summary>
    public long Resent { get => _counts[RabbitCounter.Resent]; init => _counts[RabbitCounter.Resent] = value; }

    /// <summary>The number of at-least-once messages that a full queue refused. They are sent again.</summary>
    public long Rejected { get => _counts[RabbitCounter.Rejected]; init => _counts[RabbitCounter.Rejected] = value; }

    /// <summary>The number of at-least-once messages that were published before a group had subscribed to their topic.</summary>
    public long Unrouted { get => _counts[RabbitCounter.Unrouted]; init => _counts[RabbitCounter.Unrouted] = value; }

    /// <summary>The number of at-most-once messages, requests and replies that waited here when the connection was lost, of replies without room or address, and of at-least-once messages that waited here when the host was disposed.</summary>
    public long Dropped { get => _counts[RabbitCounter.Dropped]; init => _counts[RabbitCounter.Dropped] = value; }

    /// <summary>The number of at-most-once messages that did not arrive here, by their numbers. <see cref="RabbitHost.GapFound"/> reported each of them.</summary>
    public long Missed { get => _counts[RabbitCounter.Missed]; init => _counts[RabbitCounter.Missed] = value; }

    /// <summary>The number of at-most-once messages and requests that were lost with another consumer and are not handled again.</summary>
    public long RedeliveriesDropped { get => _counts[RabbitCounter.RedeliveriesDropped]; init => _counts[RabbitCounter.RedeliveriesDropped] = value; }

    /// <summary>The number of messages passed to handlers with the mark <see cref="Origin.IsRepeated"/>.</summary>
    public long Repeated { get => _counts[RabbitCounter.Repeated]; init => _counts[RabbitCounter.Repeated] = value; }

    /// <summary>The number of messages that were handled after their connection was lost. They are delivered again.</summary>
    public long Unacknowledged { get => _counts[RabbitCounter.Unacknowledged]; init => _counts[RabbitCounter.Unacknowledged] = value; }

    /// <summary>The number of messages returned to the broker for another try, because their handler threw.</summary>
    public long Retried { get => _counts[RabbitCounter.Retried]; init => _counts[RabbitCounter.Retried] = value; }

    /// <summary>The number of messages that this host sent to the dead letters, because it cannot read or handle them, or because a handler threw at the last try.</summary>
    public long DeadLettered { get => _counts[RabbitCounter.DeadLettered]; init => _counts[RabbitCounter.DeadLettered] = value; }

    /// <summary>The number of dead letters from this host for which the dead-letter queue had no room, as far as the host can detect it. <see cref="RabbitOptions.DeadLetterFullMode"/> determines their handling.</summary>
    public long DeadLettersOverflowed { get => _counts[RabbitCounter.DeadLettersOverflowed]; init => _counts[RabbitCounter.DeadLettersOverflowed] = value; }

    /// <summary>The number of messages that cannot be read, or whose kind is not valid for their queue.</summary>
    public long Malformed { get => _counts[RabbitCounter.Malformed]; init => _counts[RabbitCounter.Malformed] = value; }

    /// <summary>The number of requests whose type has only an event handler, and of events whose type has only a request handler.</summary>
    public long Misdirected { get => _counts[RabbitCounter.Misdirected]; init => _counts[RabbitCounter.Misdirected] = value; }

    /// <summary>The number of exceptions of handlers and listeners, and of refused delay queues.</summary>
    public long HandlerFailures { get => _counts[RabbitCounter.HandlerFailures]; init => _counts[RabbitCounter.HandlerFailures] = value; }

    /// <summary>The number of requests of this host without a reply in time.</summary>
    public long RequestsTimedOut { get => _counts[RabbitCounter.RequestsTimedOut]; init => _counts[RabbitCounter.RequestsTimedOut] = value; }

    /// <summary>The number of replies and faults that arrived after their request had ended.</summary>
    public long LateReplies { get => _counts[RabbitCounter.LateReplies]; init => _counts[RabbitCounter.LateReplies] = value; }

    /// <summary>The number of received requests that were answered with a fault.</summary>
    public long FaultsSent { get => _counts[RabbitCounter.FaultsSent]; init => _counts[RabbitCounter.FaultsSent] = value; }

    /// <summary>The number of at-least-once messages that the broker refused permanently. <see cref="RabbitHost.PublicationRefused"/> reported each of them.</summary>
    public long Refused { get => _counts[RabbitCounter.Refused]; init => _counts[RabbitCounter.Refused] = value; }

    /// <summary>The number of at-least-once topics that wait now for a queue that is full or does not confirm. <see cref="RabbitHost.TopicStalled"/> reported each of them.</summary>
    public long StalledTopics { get => _counts[RabbitCounter.StalledTopics]; init => _counts[RabbitCounter.StalledTopics] = value; }

    /// <summary>The number of events and requests that were not accepted with <see cref="SendStatus.Full"/>. A <c>PublishAsync</c> that waits for room is not counted.</summary>
    public long SendsFull { get => _counts[RabbitCounter.SendsFull]; init => _counts[RabbitCounter.SendsFull] = value; }

    /// <summary>The number of events and requests that were not accepted with <see cref="SendStatus.Closed"/>.</summary>
    public long SendsClosed { get => _counts[RabbitCounter.SendsClosed]; init => _counts[RabbitCounter.SendsClosed] = value; }

    /// <summary>The number of at-least-once messages that the broker confirmed.</summary>
    public long Confirmed { get => _counts[RabbitCounter.Confirmed]; init => _counts[RabbitCounter.Confirmed] = value; }

    /// <summary>The number of handlers that ran for most of the time that the broker allows. <see cref="RabbitHost.HandlerStalled"/> reported each of them.</summary>
    public long StalledHandlers { get => _counts[RabbitCounter.StalledHandlers]; init => _counts[RabbitCounter.StalledHandlers] = value; }

    /// <summary>The number of redelivered messages that were not handled again, because their first handler still ran here. They are settled with its outcome.</summary>
    public long RedeliveriesJoined { get => _counts[RabbitCounter.RedeliveriesJoined]; init => _counts[RabbitCounter.RedeliveriesJoined] = value; }

    /// <summary>The number of messages whose handler threw and that were returned without <see cref="SubscriptionOptions.RetryDelay"/>, because the broker did not confirm the delayed message.</summary>
    public long Undelayed { get => _counts[RabbitCounter.Undelayed]; init => _counts[RabbitCounter.Undelayed] = value; }

    /// <summary>The number of partitions that this host kept above its share for now, because a handler ran longer than <see cref="RabbitOptions.StopTimeout"/>. <see cref="RabbitHost.HandoverGivenUp"/> reported each of them.</summary>
    public long HandoversGivenUp { get => _counts[RabbitCounter.HandoversGivenUp]; init => _counts[RabbitCounter.HandoversGivenUp] = value; }

    /// <summary>The number of messages that a <see cref="SubscriptionOptions.Filter"/> did not pass to the handler.</summary>
    public long Filtered { get => _counts[RabbitCounter.Filtered]; init => _counts[RabbitCounter.Filtered] = value; }
}
