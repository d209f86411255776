namespace Reloaded.Messaging.Hosting;

/// <summary>A host's counts, since it was made. Each is exact; together they are of about the same moment.</summary>
/// <param name="Peers">Peers now, those that are shaking hands included.</param>
/// <param name="HandlerFailures">Handlers and listeners that threw.</param>
/// <param name="RequestsTimedOut">Requests of this side that nobody answered in time.</param>
/// <param name="LateReplies">Replies and faults to requests that nobody waits for any more.</param>
/// <param name="FaultsSent">Requests of other sides that were refused.</param>
/// <param name="MalformedMessages">Messages that can't be read.</param>
/// <param name="UnknownControlMessages">Control messages that this version of the library doesn't know, and ignored.</param>
/// <param name="MisdirectedMessages">Requests for which there is only a handler of events, and events for which there is only one of requests.</param>
/// <param name="FailedAccepts">Connections that could not be taken in.</param>
/// <param name="LostFrames">Messages that were to be sent when their peer was gone.</param>
/// <param name="OverMessageRate">Messages that were dropped because their peer sent too many.</param>
/// <param name="OverByteRate">Messages that were dropped because their peer sent too many bytes.</param>
/// <param name="SendsFull">Messages that a send did not take: <see cref="SendStatus.Full"/>.</param>
/// <param name="SendsClosed">Messages that a send did not take: <see cref="SendStatus.Closed"/>.</param>
/// <param name="SendsTooLarge">Messages that a send did not take: <see cref="SendStatus.TooLarge"/>.</param>
/// <param name="SendsMismatched">Messages that a send did not take: <see cref="SendStatus.ContractMismatch"/>.</param>
/// <param name="PendingBytes">Bytes of memory that hold messages to be sent, now. Of each peer's buffers only those above 64 KiB count; <see cref="HostLimits.MaxTotalPendingBytes"/> limits them.</param>
/// <param name="PumpStalls">How often messages waited and <see cref="MessageHost.Pump"/> was not called: see <see cref="MessageHost.PumpStalled"/>.</param>
public readonly record struct HostStatistics(
    int Peers,
    long HandlerFailures,
    long RequestsTimedOut,
    long LateReplies,
    long FaultsSent,
    long MalformedMessages,
    long UnknownControlMessages,
    long MisdirectedMessages,
    long FailedAccepts,
    long LostFrames,
    long OverMessageRate,
    long OverByteRate,
    long SendsFull,
    long SendsClosed,
    long SendsTooLarge,
    long SendsMismatched,
    long PendingBytes,
    long PumpStalls);
