using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>Finds out whether a peer still sends, and still reads what it is sent. On the host's tick.</summary>
internal sealed class PeerWatch(TransportChannel channel, Outbox outbox)
{
    private long? _progress;
    private long _progressAt;

    /// <summary>Whether the remote side was silent for too long.</summary>
    /// <param name="lastHeard">When it was heard last, by the clock.</param>
    /// <param name="clock">The time. Probed before the limit is reached, so that the time of a busy thread pool does not count.</param>
    /// <param name="longest">The limit, in milliseconds.</param>
    public bool IsSilent(long lastHeard, ResponsiveClock clock, double longest)
    {
        var silence = clock.Now - lastHeard;
        if (silence <= longest / 2)
            return false;
        clock.Probe();
        return silence > longest && !channel.HasUnread;
    }

    /// <summary>Whether a write to it made no progress for too long.</summary>
    /// <param name="now">The time, by the host's clock.</param>
    /// <param name="longest">The limit, in milliseconds.</param>
    public bool IsNotReading(long now, double longest)
    {
        var progress = outbox.WriteProgress;
        if (progress is null || progress != _progress)
            (_progress, _progressAt) = (progress, now);
        return now - _progressAt > longest;
    }
}
