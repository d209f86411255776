namespace Reloaded.Messaging.Hosting;

/// <summary>The counters of a host, in the order of <see cref="HostStatistics"/>, which documents each of them. A name is that of the property, and of the counter in an inspection.</summary>
/// <remarks><see cref="MessageHost.Read"/> returns the counters that another object of the host has. All others are in <see cref="HostResources.Counters"/>.</remarks>
internal enum HostCounter
{
    Peers = 0,
    HandlerFailures,
    RequestsTimedOut,
    LateReplies,
    FaultsSent,
    MalformedMessages,
    UnknownControlMessages,
    MisdirectedMessages,
    FailedAccepts,
    RefusedConnections,
    LostFrames,
    OverMessageRate,
    OverByteRate,
    SendsFull,
    SendsClosed,
    SendsTooLarge,
    SendsMismatched,
    PendingBytes,
    PumpStalls,
    DroppedTraceContexts,
    UnhandledMessages,
}
