namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The counters of a host at one time. Each counter is exact. The counters are read one after the other, not at the same instant.</summary>
/// <remarks>Each property is a count since the host was created, except <see cref="Unconfirmed"/> and <see cref="StalledTopics"/>, which are current. The object does not change.</remarks>
public sealed class RabbitStatistics
{
    private readonly Counters<RabbitCounter> _counts;

    internal RabbitStatistics(Counters<RabbitCounter> counts) => _counts = counts;

    /// <summary>The number of lost connections.</summary>
    public long Disconnects => _counts[RabbitCounter.Disconnects];

    /// <summary>The number of failed attempts to connect. The attempt of <see cref="RabbitHost.ConnectAsync"/> throws and does not count.</summary>
    public long FailedConnects => _counts[RabbitCounter.FailedConnects];

    /// <summary>The number of subscriptions that the broker refused over a new connection, or ended. Each attempt counts.</summary>
    public long FailedSubscriptions => _counts[RabbitCounter.FailedSubscriptions];

    /// <summary>The number of at-least-once messages that wait in this host now, because the broker has not confirmed them.</summary>
    public long Unconfirmed => _counts[RabbitCounter.Unconfirmed];

    /// <summary>The number of at-least-once messages that were sent again, because the result of the first publication is unknown.</summary>
    public long Resent => _counts[RabbitCounter.Resent];

    /// <summary>The number of at-least-once messages that a full queue refused. They are sent again.</summary>
    public long Rejected => _counts[RabbitCounter.Rejected];

    /// <summary>The number of at-least-once messages that were published before a group had subscribed to their topic.</summary>
    public long Unrouted => _counts[RabbitCounter.Unrouted];

    /// <summary>The number of at-most-once messages, requests and replies that waited here when the connection was lost, of replies without room or address, and of at-least-once messages that were not confirmed when the host was disposed.</summary>
    public long Dropped => _counts[RabbitCounter.Dropped];

    /// <summary>The number of at-most-once messages that did not arrive here, by their numbers. <see cref="RabbitHost.GapFound"/> reported each of them.</summary>
    public long Missed => _counts[RabbitCounter.Missed];

    /// <summary>The number of at-most-once messages and requests that were lost with another consumer and are not handled again.</summary>
    public long RedeliveriesDropped => _counts[RabbitCounter.RedeliveriesDropped];

    /// <summary>The number of messages passed to handlers with the mark <see cref="Origin.IsRepeated"/>.</summary>
    public long Repeated => _counts[RabbitCounter.Repeated];

    /// <summary>The number of messages that were handled after their connection was lost. They are delivered again.</summary>
    public long Unacknowledged => _counts[RabbitCounter.Unacknowledged];

    /// <summary>The number of messages returned to the broker for another try, because their handler threw.</summary>
    public long Retried => _counts[RabbitCounter.Retried];

    /// <summary>The number of messages that this host sent to the dead letters, because it cannot read or handle them, or because a handler threw at the last try.</summary>
    public long DeadLettered => _counts[RabbitCounter.DeadLettered];

    /// <summary>The number of dead letters from this host for which the dead-letter queue had no room, as far as the host can detect it. <see cref="RabbitOptions.DeadLetterFullMode"/> determines their handling.</summary>
    public long DeadLettersOverflowed => _counts[RabbitCounter.DeadLettersOverflowed];

    /// <summary>The number of messages that cannot be read, or whose kind is not valid for their queue.</summary>
    public long Malformed => _counts[RabbitCounter.Malformed];

    /// <summary>The number of requests whose type has only an event handler, and of events whose type has only a request handler.</summary>
    public long Misdirected => _counts[RabbitCounter.Misdirected];

    /// <summary>The number of exceptions of handlers and listeners, and of refused delay queues.</summary>
    public long HandlerFailures => _counts[RabbitCounter.HandlerFailures];

    /// <summary>The number of requests of this host without a reply in time.</summary>
    public long RequestsTimedOut => _counts[RabbitCounter.RequestsTimedOut];

    /// <summary>The number of replies and faults that arrived after their request had ended.</summary>
    public long LateReplies => _counts[RabbitCounter.LateReplies];

    /// <summary>The number of received requests that were answered with a fault.</summary>
    public long FaultsSent => _counts[RabbitCounter.FaultsSent];

    /// <summary>The number of at-least-once messages that the broker refused permanently. <see cref="RabbitHost.PublicationRefused"/> reported each of them.</summary>
    public long Refused => _counts[RabbitCounter.Refused];

    /// <summary>The number of at-least-once topics that wait now for a queue that is full or does not confirm. <see cref="RabbitHost.TopicStalled"/> reported each of them.</summary>
    public long StalledTopics => _counts[RabbitCounter.StalledTopics];

    /// <summary>The number of events and requests that were not accepted with <see cref="SendStatus.Full"/>. A <c>PublishAsync</c> that waits for room is not counted.</summary>
    public long SendsFull => _counts[RabbitCounter.SendsFull];

    /// <summary>The number of events and requests that were not accepted with <see cref="SendStatus.Closed"/>.</summary>
    public long SendsClosed => _counts[RabbitCounter.SendsClosed];

    /// <summary>The number of at-least-once messages that the broker confirmed.</summary>
    public long Confirmed => _counts[RabbitCounter.Confirmed];

    /// <summary>The number of handlers that ran for most of the time that the broker allows. <see cref="RabbitHost.HandlerStalled"/> reported each of them.</summary>
    public long StalledHandlers => _counts[RabbitCounter.StalledHandlers];

    /// <summary>The number of redelivered messages that were not handled again, because their first handler still ran here. They are settled with its outcome.</summary>
    public long RedeliveriesJoined => _counts[RabbitCounter.RedeliveriesJoined];

    /// <summary>The number of messages whose handler threw and that were returned without <see cref="SubscriptionOptions.RetryDelay"/>, because the broker did not confirm the delayed message.</summary>
    public long Undelayed => _counts[RabbitCounter.Undelayed];

    /// <summary>The number of partitions that this host kept above its share for now, because a handler ran longer than <see cref="RabbitOptions.StopTimeout"/>. <see cref="RabbitHost.HandoverGivenUp"/> reported each of them.</summary>
    public long HandoversGivenUp => _counts[RabbitCounter.HandoversGivenUp];

    /// <summary>The number of messages that a <see cref="SubscriptionOptions.Filter"/> did not pass to the handler.</summary>
    public long Filtered => _counts[RabbitCounter.Filtered];

    /// <summary>The number of at-most-once messages and requests that this host had received when it was disposed, and whose handlers had not ended after <see cref="RabbitOptions.StopTimeout"/>. The broker does not deliver them again.</summary>
    public long Abandoned => _counts[RabbitCounter.Abandoned];

    /// <summary>The names and values of all counters.</summary>
    public override string ToString() => _counts.Describe(nameof(RabbitStatistics));
}
