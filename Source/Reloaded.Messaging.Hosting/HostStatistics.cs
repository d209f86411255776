namespace Reloaded.Messaging.Hosting;

/// <summary>The counters of a host at one time. Each value is exact; the values are read one after the other, at approximately the same time.</summary>
/// <remarks>Each property is a count since the host was created, except <see cref="Peers"/> and <see cref="PendingBytes"/>, which are current. The object does not change.</remarks>
public sealed class HostStatistics
{
    private readonly Counters<HostCounter> _counts;

    internal HostStatistics(Counters<HostCounter> counts) => _counts = counts;

    /// <summary>The current number of peers, including peers whose handshake is not complete.</summary>
    public int Peers => (int)_counts[HostCounter.Peers];

    /// <summary>The number of exceptions of message handlers and event handlers.</summary>
    public long HandlerFailures => _counts[HostCounter.HandlerFailures];

    /// <summary>The number of requests of this side that received no reply within their timeout.</summary>
    public long RequestsTimedOut => _counts[HostCounter.RequestsTimedOut];

    /// <summary>The number of replies and faults whose request had already ended, and of reports of handlers whose request had ended.</summary>
    public long LateReplies => _counts[HostCounter.LateReplies];

    /// <summary>The number of faults that this side sent in response to requests.</summary>
    public long FaultsSent => _counts[HostCounter.FaultsSent];

    /// <summary>The number of unreadable messages.</summary>
    public long MalformedMessages => _counts[HostCounter.MalformedMessages];

    /// <summary>The number of control messages that this version of the library does not know. They were ignored.</summary>
    public long UnknownControlMessages => _counts[HostCounter.UnknownControlMessages];

    /// <summary>The number of requests whose type has an event handler, and of events whose type has a request handler.</summary>
    public long MisdirectedMessages => _counts[HostCounter.MisdirectedMessages];

    /// <summary>The number of connections that could not be accepted.</summary>
    public long FailedAccepts => _counts[HostCounter.FailedAccepts];

    /// <summary>The number of connections that ended before they became peers. <see cref="MessageServer.ConnectionRefused"/> reports those of a server.</summary>
    public long RefusedConnections => _counts[HostCounter.RefusedConnections];

    /// <summary>The number of messages that were queued and not written when the peer disconnected. Over LiteNetLib, also the number of events whose arrival the peer had not confirmed.</summary>
    public long LostFrames => _counts[HostCounter.LostFrames];

    /// <summary>The number of messages that were dropped because the peer exceeded <see cref="HostLimits.MessagesPerSecond"/>.</summary>
    public long OverMessageRate => _counts[HostCounter.OverMessageRate];

    /// <summary>The number of messages that were dropped because the peer exceeded <see cref="HostLimits.BytesPerSecond"/>.</summary>
    public long OverByteRate => _counts[HostCounter.OverByteRate];

    /// <summary>The number of messages that were not sent: <see cref="SendStatus.Full"/>.</summary>
    public long SendsFull => _counts[HostCounter.SendsFull];

    /// <summary>The number of messages that were not sent: <see cref="SendStatus.Closed"/>.</summary>
    public long SendsClosed => _counts[HostCounter.SendsClosed];

    /// <summary>The number of messages that were not sent: <see cref="SendStatus.TooLarge"/>.</summary>
    public long SendsTooLarge => _counts[HostCounter.SendsTooLarge];

    /// <summary>The number of messages that were not sent: <see cref="SendStatus.ContractMismatch"/>.</summary>
    public long SendsMismatched => _counts[HostCounter.SendsMismatched];

    /// <summary>The memory that currently holds messages to be sent, in bytes. Only buffers above 64 KiB count. The value is at most 256 MiB.</summary>
    public long PendingBytes => _counts[HostCounter.PendingBytes];

    /// <summary>The number of times that messages waited and <see cref="MessageHost.Pump"/> was not called: see <see cref="MessageHost.PumpStalled"/>.</summary>
    public long PumpStalls => _counts[HostCounter.PumpStalls];

    /// <summary>The number of received trace contexts that were invalid, or whose message was not the next one. The messages themselves were handled, without a remote parent.</summary>
    public long DroppedTraceContexts => _counts[HostCounter.DroppedTraceContexts];

    /// <summary>The number of events and requests that were received completely and not handled, because this side ended the connection or was disposed: see <see cref="MessageHost.MessagesUnhandled"/>.</summary>
    public long UnhandledMessages => _counts[HostCounter.UnhandledMessages];

    /// <summary>The names and values of all counters.</summary>
    public override string ToString() => _counts.Describe(nameof(HostStatistics));
}
