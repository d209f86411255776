namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The counters of a host since its creation. Each counter is exact. The counters are read one after the other, not at the same instant.</summary>
/// <param name="Disconnects">The number of lost connections.</param>
/// <param name="FailedConnects">The number of failed attempts to connect. The attempt of <see cref="RabbitHost.ConnectAsync"/> throws and does not count.</param>
/// <param name="FailedSubscriptions">The number of subscriptions that the broker refused over a new connection, or ended. Each attempt counts.</param>
/// <param name="Unconfirmed">The number of at-least-once messages that wait in this host now, because the broker has not confirmed them.</param>
/// <param name="Resent">The number of at-least-once messages that were sent again, because the result of the first publication is unknown.</param>
/// <param name="Rejected">The number of at-least-once messages that a full queue refused. They are sent again.</param>
/// <param name="Unrouted">The number of at-least-once messages that were published before a group had subscribed to their topic.</param>
/// <param name="Dropped">The number of at-most-once messages, requests and replies that waited here when the connection was lost, of replies without room or address, and of at-least-once messages that waited here when the host was disposed.</param>
/// <param name="Missed">The number of at-most-once messages that did not arrive here, by their numbers. <see cref="RabbitHost.GapFound"/> reported each of them.</param>
/// <param name="RedeliveriesDropped">The number of at-most-once messages and requests that were lost with another consumer and are not handled again.</param>
/// <param name="Repeated">The number of messages passed to handlers with the mark <see cref="Origin.IsRepeated"/>.</param>
/// <param name="Unacknowledged">The number of messages that were handled after their connection was lost. They are delivered again.</param>
/// <param name="Retried">The number of messages returned to the broker for another try, because their handler threw.</param>
/// <param name="DeadLettered">The number of messages that this host sent to the dead letters, because it cannot read or handle them, or because a handler threw at the last try.</param>
/// <param name="DeadLettersOverflowed">The number of dead letters from this host for which the dead-letter queue had no room, as far as the host can detect it. <see cref="RabbitOptions.DeadLetterFullMode"/> determines their handling.</param>
/// <param name="Malformed">The number of messages that cannot be read, or whose kind is not valid for their queue.</param>
/// <param name="Misdirected">The number of requests whose type has only an event handler, and of events whose type has only a request handler.</param>
/// <param name="HandlerFailures">The number of exceptions of handlers and listeners, and of refused delay queues.</param>
/// <param name="RequestsTimedOut">The number of requests of this host without a reply in time.</param>
/// <param name="LateReplies">The number of replies and faults that arrived after their request had ended.</param>
/// <param name="FaultsSent">The number of received requests that were answered with a fault.</param>
/// <param name="Refused">The number of at-least-once messages that the broker refused permanently. <see cref="RabbitHost.PublicationRefused"/> reported each of them.</param>
/// <param name="StalledTopics">The number of at-least-once topics that wait for a full queue now. <see cref="RabbitHost.TopicStalled"/> reported each of them.</param>
/// <param name="SendsFull">The number of events and requests that were not accepted with <see cref="SendStatus.Full"/>. A <c>PublishAsync</c> that waits for room is not counted.</param>
/// <param name="SendsClosed">The number of events and requests that were not accepted with <see cref="SendStatus.Closed"/>.</param>
/// <param name="Confirmed">The number of at-least-once messages that the broker confirmed.</param>
/// <param name="StalledHandlers">The number of handlers that ran for most of the time that the broker allows. <see cref="RabbitHost.HandlerStalled"/> reported each of them.</param>
/// <param name="RedeliveriesJoined">The number of redelivered messages that were not handled again, because their first handler still ran here. They are settled with its outcome.</param>
/// <param name="Undelayed">The number of messages whose handler threw and that were returned without <see cref="SubscriptionOptions.RetryDelay"/>, because the broker did not confirm the delayed message.</param>
/// <param name="HandoversGivenUp">The number of partitions that this host kept above its share for now, because a handler ran longer than <see cref="RabbitOptions.StopTimeout"/>. <see cref="RabbitHost.HandoverGivenUp"/> reported each of them.</param>
public readonly record struct RabbitStatistics(
    long Disconnects,
    long FailedConnects,
    long FailedSubscriptions,
    long Unconfirmed,
    long Resent,
    long Rejected,
    long Unrouted,
    long Dropped,
    long Missed,
    long RedeliveriesDropped,
    long Repeated,
    long Unacknowledged,
    long Retried,
    long DeadLettered,
    long DeadLettersOverflowed,
    long Malformed,
    long Misdirected,
    long HandlerFailures,
    long RequestsTimedOut,
    long LateReplies,
    long FaultsSent,
    long Refused,
    long StalledTopics,
    long SendsFull,
    long SendsClosed,
    long Confirmed,
    long StalledHandlers,
    long RedeliveriesJoined,
    long Undelayed,
    long HandoversGivenUp);
