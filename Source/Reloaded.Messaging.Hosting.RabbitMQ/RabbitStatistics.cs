namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A host's counts, since it was made. Each is exact; together they are of about the same moment.</summary>
/// <param name="Disconnects">How often the connection was lost.</param>
/// <param name="FailedConnects">Attempts to connect again that failed.</param>
/// <param name="FailedSubscriptions">Subscriptions that the broker refused over a new connection, or ended. Each attempt counts.</param>
/// <param name="Unconfirmed">Messages of the kind at least once that the broker has not confirmed: those that wait here now.</param>
/// <param name="Resent">Messages of the kind at least once that were sent again, because nobody knew what became of them.</param>
/// <param name="Rejected">Messages of the kind at least once that a full queue refused; they are sent again.</param>
/// <param name="Unrouted">Messages of the kind at least once that were published when no group had subscribed to their topic yet.</param>
/// <param name="Dropped">Messages of the kind at most once, requests and replies that waited here when the connection was lost, replies for which there was no room or no address, and messages of the kind at least once that waited here when the host was disposed.</param>
/// <param name="Missed">Messages of the kind at most once that did not arrive here, by their numbers; each was in a <see cref="RabbitHost.GapFound"/>.</param>
/// <param name="RedeliveriesDropped">Messages of the kind at most once and requests that another consumer died with, and which are not handled again.</param>
/// <param name="Repeated">Messages handed to handlers with the mark <see cref="Origin.IsRepeated"/>.</param>
/// <param name="Unacknowledged">Messages that were handled when their connection was gone: they come again.</param>
/// <param name="Retried">Messages given back to be tried again, because their handler threw.</param>
/// <param name="DeadLettered">Messages sent to the dead letters from here: no handler here can read or handle them, or a handler threw at the last try.</param>
/// <param name="DeadLettersOverflowed">Dead letters from here for which their queue had no room, as far as this host can tell. <see cref="RabbitOptions.DeadLetterOverflow"/> says what becomes of them.</param>
/// <param name="Malformed">Messages that can't be read, or are of a kind that does not belong where they came.</param>
/// <param name="Misdirected">Requests for which there is only a handler of events, and events for which there is only one of requests.</param>
/// <param name="HandlerFailures">Handlers and listeners that threw.</param>
/// <param name="RequestsTimedOut">Requests of this host that nobody answered in time.</param>
/// <param name="LateReplies">Replies and faults to requests that nobody waits for any more.</param>
/// <param name="FaultsSent">Requests of others that were refused.</param>
/// <param name="Refused">Messages of the kind at least once that the broker refused for good; each was in a <see cref="RabbitHost.PublicationRefused"/>.</param>
/// <param name="StalledTopics">Topics of the kind at least once that wait for a full queue now; each was in a <see cref="RabbitHost.TopicStalled"/>.</param>
/// <param name="SendsFull">Events and requests that were not taken: <see cref="SendStatus.Full"/>. A <c>PublishAsync</c> that waits for room is not counted.</param>
/// <param name="SendsClosed">Events and requests that were not taken: <see cref="SendStatus.Closed"/>.</param>
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
    long SendsClosed);
