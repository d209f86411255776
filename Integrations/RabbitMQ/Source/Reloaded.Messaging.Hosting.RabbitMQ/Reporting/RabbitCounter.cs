namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The counters of a host, in the order of <see cref="RabbitStatistics"/>, which documents each of them. A name is that of the property.</summary>
/// <remarks>Any part of a host may add to a counter by <see cref="HostReports.Count"/>. <see cref="RabbitHost.GetStatistics"/> reads the counters that another object of the host has.</remarks>
internal enum RabbitCounter
{
    Disconnects = 0,
    FailedConnects,
    FailedSubscriptions,
    Unconfirmed,
    Resent,
    Rejected,
    Unrouted,
    Dropped,
    Missed,
    RedeliveriesDropped,
    Repeated,
    Unacknowledged,
    Retried,
    DeadLettered,
    DeadLettersOverflowed,
    Malformed,
    Misdirected,
    HandlerFailures,
    RequestsTimedOut,
    LateReplies,
    FaultsSent,
    Refused,
    StalledTopics,
    SendsFull,
    SendsClosed,
    Confirmed,
    StalledHandlers,
    RedeliveriesJoined,
    Undelayed,
    HandoversGivenUp,
    Filtered,
    Abandoned,
}
