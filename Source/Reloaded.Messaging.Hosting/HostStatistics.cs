using System.Text;

namespace Reloaded.Messaging.Hosting;

/// <summary>The counters of a host at one time. Each value is exact; the values are read one after the other, at approximately the same time.</summary>
/// <remarks>Each property is a count since the host was created, except <see cref="Peers"/> and <see cref="PendingBytes"/>, which are current. The object does not change.</remarks>
public sealed record HostStatistics
{
    private readonly Counters<HostCounter> _counts;

    /// <summary>Creates statistics in which each value is 0. <see cref="MessageHost.GetStatistics"/> returns those of a host.</summary>
    public HostStatistics() => _counts = new();

    internal HostStatistics(MessageHost host)
        : this()
    {
        foreach (var counter in Counters<HostCounter>.All)
            _counts[counter] = host.Read(counter);
    }

    private HostStatistics(HostStatistics original) => _counts = original._counts.Copy();

    /// <summary>The current number of peers, including peers whose handshake is not complete.</summary>
    public int Peers { get => (int)_counts[HostCounter.Peers]; init => _counts[HostCounter.Peers] = value; }

    /// <summary>The number of exceptions of message handlers and event handlers.</summary>
    public long HandlerFailures { get => _counts[HostCounter.HandlerFailures]; init => _counts[HostCounter.HandlerFailures] = value; }

    /// <summary>The number of requests of this side that received no reply within their timeout.</summary>
    public long RequestsTimedOut { get => _counts[HostCounter.RequestsTimedOut]; init => _counts[HostCounter.RequestsTimedOut] = value; }

    /// <summary>The number of replies and faults whose request had already ended, and of reports of handlers whose request had ended.</summary>
    public long LateReplies { get => _counts[HostCounter.LateReplies]; init => _counts[HostCounter.LateReplies] = value; }

    /// <summary>The number of faults that this side sent in response to requests.</summary>
    public long FaultsSent { get => _counts[HostCounter.FaultsSent]; init => _counts[HostCounter.FaultsSent] = value; }

    /// <summary>The number of unreadable messages.</summary>
    public long MalformedMessages { get => _counts[HostCounter.MalformedMessages]; init => _counts[HostCounter.MalformedMessages] = value; }

    /// <summary>The number of control messages that this version of the library does not know. They were ignored.</summary>
    public long UnknownControlMessages { get => _counts[HostCounter.UnknownControlMessages]; init => _counts[HostCounter.UnknownControlMessages] = value; }

    /// <summary>The number of requests whose type has an event handler, and of events whose type has a request handler.</summary>
    public long MisdirectedMessages { get => _counts[HostCounter.MisdirectedMessages]; init => _counts[HostCounter.MisdirectedMessages] = value; }

    /// <summary>The number of connections that could not be accepted.</summary>
    public long FailedAccepts { get => _counts[HostCounter.FailedAccepts]; init => _counts[HostCounter.FailedAccepts] = value; }

    /// <summary>The number of connections that ended before they became peers. <see cref="MessageServer.ConnectionRefused"/> reports those of a server.</summary>
    public long RefusedConnections { get => _counts[HostCounter.RefusedConnections]; init => _counts[HostCounter.RefusedConnections] = value; }

    /// <summary>The number of messages that were queued and not written when the peer disconnected. Over LiteNetLib, also the number of events whose arrival the peer had not confirmed.</summary>
    public long LostFrames { get => _counts[HostCounter.LostFrames]; init => _counts[HostCounter.LostFrames] = value; }

    /// <summary>The number of messages that were dropped because the peer exceeded <see cref="HostLimits.MessagesPerSecond"/>.</summary>
    public long OverMessageRate { get => _counts[HostCounter.OverMessageRate]; init => _counts[HostCounter.OverMessageRate] = value; }

    /// <summary>The number of messages that were dropped because the peer exceeded <see cref="HostLimits.BytesPerSecond"/>.</summary>
    public long OverByteRate { get => _counts[HostCounter.OverByteRate]; init => _counts[HostCounter.OverByteRate] = value; }

    /// <summary>The number of messages that were not sent: <see cref="SendStatus.Full"/>.</summary>
    public long SendsFull { get => _counts[HostCounter.SendsFull]; init => _counts[HostCounter.SendsFull] = value; }

    /// <summary>The number of messages that were not sent: <see cref="SendStatus.Closed"/>.</summary>
    public long SendsClosed { get => _counts[HostCounter.SendsClosed]; init => _counts[HostCounter.SendsClosed] = value; }

    /// <summary>The number of messages that were not sent: <see cref="SendStatus.TooLarge"/>.</summary>
    public long SendsTooLarge { get => _counts[HostCounter.SendsTooLarge]; init => _counts[HostCounter.SendsTooLarge] = value; }

    /// <summary>The number of messages that were not sent: <see cref="SendStatus.ContractMismatch"/>.</summary>
    public long SendsMismatched { get => _counts[HostCounter.SendsMismatched]; init => _counts[HostCounter.SendsMismatched] = value; }

    /// <summary>The memory that currently holds messages to be sent, in bytes. Only buffers above 64 KiB count. The value is at most 256 MiB.</summary>
    public long PendingBytes { get => _counts[HostCounter.PendingBytes]; init => _counts[HostCounter.PendingBytes] = value; }

    /// <summary>The number of times that messages waited and <see cref="MessageHost.Pump"/> was not called: see <see cref="MessageHost.PumpStalled"/>.</summary>
    public long PumpStalls { get => _counts[HostCounter.PumpStalls]; init => _counts[HostCounter.PumpStalls] = value; }

    /// <summary>The number of received trace contexts that were invalid, or whose message was not the next one. The messages themselves were handled, without a remote parent.</summary>
    public long DroppedTraceContexts { get => _counts[HostCounter.DroppedTraceContexts]; init => _counts[HostCounter.DroppedTraceContexts] = value; }

    /// <summary>The number of events and requests that were received completely and not handled, because this side ended the connection or was disposed: see <see cref="MessageHost.MessagesUnhandled"/>.</summary>
    public long UnhandledMessages { get => _counts[HostCounter.UnhandledMessages]; init => _counts[HostCounter.UnhandledMessages] = value; }

    /// <summary>Writes the counters for <c>ToString</c>. The method of the compiler would be ten times as large.</summary>
    private bool PrintMembers(StringBuilder builder)
    {
        foreach (var counter in Counters<HostCounter>.All)
            builder.Append(counter == HostCounter.Peers ? "" : ", ").Append(counter.ToString()).Append(" = ").Append(_counts[counter]);
        return true;
    }
}
