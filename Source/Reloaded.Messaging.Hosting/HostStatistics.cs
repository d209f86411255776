namespace Reloaded.Messaging.Hosting;

/// <summary>The counters of a host since its creation. Each value is exact; the values are read at approximately the same time.</summary>
/// <param name="Peers">The current number of peers, including peers whose handshake is not complete.</param>
/// <param name="HandlerFailures">The number of exceptions of message handlers and event handlers.</param>
/// <param name="RequestsTimedOut">The number of requests of this side that received no reply within their timeout.</param>
/// <param name="LateReplies">The number of replies and faults whose request had already ended.</param>
/// <param name="FaultsSent">The number of faults that this side sent in response to requests.</param>
/// <param name="MalformedMessages">The number of unreadable messages.</param>
/// <param name="UnknownControlMessages">The number of control messages that this version of the library does not know. They were ignored.</param>
/// <param name="MisdirectedMessages">The number of requests whose type has an event handler, and of events whose type has a request handler.</param>
/// <param name="FailedAccepts">The number of connections that could not be accepted.</param>
/// <param name="RefusedConnections">The number of connections that ended before they became peers. <see cref="MessageServer.ConnectionRefused"/> reports those of a server.</param>
/// <param name="LostFrames">The number of messages that were queued and not written when the peer disconnected. Over LiteNetLib, also the number of events whose arrival the peer had not confirmed.</param>
/// <param name="OverMessageRate">The number of messages that were dropped because the peer exceeded <see cref="HostLimits.MessagesPerSecond"/>.</param>
/// <param name="OverByteRate">The number of messages that were dropped because the peer exceeded <see cref="HostLimits.BytesPerSecond"/>.</param>
/// <param name="SendsFull">The number of messages that were not sent: <see cref="SendStatus.Full"/>.</param>
/// <param name="SendsClosed">The number of messages that were not sent: <see cref="SendStatus.Closed"/>.</param>
/// <param name="SendsTooLarge">The number of messages that were not sent: <see cref="SendStatus.TooLarge"/>.</param>
/// <param name="SendsMismatched">The number of messages that were not sent: <see cref="SendStatus.ContractMismatch"/>.</param>
/// <param name="PendingBytes">The memory that currently holds messages to be sent, in bytes. Only buffers above 64 KiB count. <see cref="HostLimits.MaxTotalPendingBytes"/> limits the value.</param>
/// <param name="PumpStalls">The number of times that messages waited and <see cref="MessageHost.Pump"/> was not called: see <see cref="MessageHost.PumpStalled"/>.</param>
/// <param name="DroppedTraceContexts">The number of received trace contexts that were invalid, or whose message was not the next one. The messages themselves were handled, without a remote parent.</param>
/// <param name="UnhandledMessages">The number of events and requests that were received completely and not handled, because this side ended the connection or was disposed: see <see cref="MessageHost.MessagesUnhandled"/>.</param>
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
    long RefusedConnections,
    long LostFrames,
    long OverMessageRate,
    long OverByteRate,
    long SendsFull,
    long SendsClosed,
    long SendsTooLarge,
    long SendsMismatched,
    long PendingBytes,
    long PumpStalls,
    long DroppedTraceContexts,
    long UnhandledMessages);
