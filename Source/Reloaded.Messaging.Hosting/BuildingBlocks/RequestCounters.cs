namespace Reloaded.Messaging.Hosting.BuildingBlocks;

/// <summary>The counters of the requests and replies of a host. Thread-safe. For authors of hosts.</summary>
public sealed class RequestCounters
{
    private readonly Counters<Counter> _counts = new();

    /// <summary>The number of requests that received no reply within their timeout.</summary>
    public long Timeouts => _counts[Counter.Timeouts];

    /// <summary>The number of replies and faults whose request had already ended.</summary>
    public long LateReplies => _counts[Counter.LateReplies];

    /// <summary>The number of faults that were sent.</summary>
    public long FaultsSent => _counts[Counter.FaultsSent];

    /// <summary>Counts a request that received no reply within its timeout.</summary>
    internal void CountTimeout() => _counts.Add(Counter.Timeouts);

    /// <summary>Counts a reply or a fault whose request had already ended.</summary>
    public void CountLateReply() => _counts.Add(Counter.LateReplies);

    /// <summary>Counts a fault that was sent.</summary>
    public void CountFaultSent() => _counts.Add(Counter.FaultsSent);

    private enum Counter
    {
        Timeouts = 0,
        LateReplies,
        FaultsSent,
    }
}
