using System.ComponentModel;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>The counters of the requests and replies of a host. Thread-safe. For authors of hosts.</summary>
[EditorBrowsable(EditorBrowsableState.Advanced)]
public sealed class RequestCounters
{
    private long _timeouts;
    private long _lateReplies;
    private long _faultsSent;

    /// <summary>The number of requests that received no reply within their timeout.</summary>
    public long Timeouts => Volatile.Read(ref _timeouts);

    /// <summary>The number of replies and faults whose request had already ended.</summary>
    public long LateReplies => Volatile.Read(ref _lateReplies);

    /// <summary>The number of faults that were sent.</summary>
    public long FaultsSent => Volatile.Read(ref _faultsSent);

    /// <summary>Counts a request that received no reply within its timeout.</summary>
    public void CountTimeout() => Interlocked.Increment(ref _timeouts);

    /// <summary>Counts a reply or a fault whose request had already ended.</summary>
    public void CountLateReply() => Interlocked.Increment(ref _lateReplies);

    /// <summary>Counts a fault that was sent.</summary>
    public void CountFaultSent() => Interlocked.Increment(ref _faultsSent);
}
