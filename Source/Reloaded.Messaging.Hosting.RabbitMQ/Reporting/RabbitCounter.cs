namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The counters that any part of a host may increment. <see cref="RabbitStatistics"/> documents each of them.</summary>
internal enum RabbitCounter
{
    Disconnects = 0,
    FailedConnects,
    FailedSubscriptions,
    Unrouted,
    DroppedReplies,
    Missed,
    RedeliveriesDropped,
    Repeated,
    Unacknowledged,
    Retried,
    DeadLettered,
    DeadLettersOverflowed,
    Malformed,
    StalledHandlers,
    RedeliveriesJoined,
    Undelayed,
    HandoversGivenUp,
}
