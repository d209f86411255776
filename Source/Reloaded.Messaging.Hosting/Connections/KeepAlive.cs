using System;
using System.Diagnostics;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>Finds out whether the remote side still sends, and still reads what it is sent. The host's timer asks.</summary>
internal sealed class KeepAlive(TransportChannel channel, Outbox outbox)
{
    private long? _progress;
    private long _progressAt;
    private long _pingedAt;
    private long _roundTripTicks;

    /// <summary>When the wait for the remote side's bytes began, by the host's clock; <see cref="long.MaxValue"/> while no wait is under way, because messages are handled.</summary>
    public long LastHeard { get; set; } = long.MaxValue;

    /// <summary>The time of the last ping's round trip; zero before the first.</summary>
    public TimeSpan RoundTripTime => TimeSpan.FromTicks(Volatile.Read(ref _roundTripTicks));

    /// <summary>Begins to measure a round trip.</summary>
    /// <returns>The number that the ping carries.</returns>
    public long BeginPing()
    {
        var now = Stopwatch.GetTimestamp();
        Volatile.Write(ref _pingedAt, now);
        return now;
    }

    /// <summary>Ends the measurement, if the pong answers the last ping. Any other number is the remote side's invention, or late.</summary>
    public void NotePong(long sentAt)
    {
        if (sentAt != 0 && Interlocked.CompareExchange(ref _pingedAt, 0, sentAt) == sentAt)
            Volatile.Write(ref _roundTripTicks, Math.Max(1, Stopwatch.GetElapsedTime(sentAt).Ticks));
    }

    /// <summary>Whether the remote side was silent for too long.</summary>
    /// <param name="clock">The time. Probed before the limit is reached, so that the time of a busy thread pool does not count.</param>
    /// <param name="longest">The limit, in milliseconds.</param>
    public bool IsSilent(ResponsiveClock clock, double longest)
    {
        var silence = clock.Now - LastHeard;
        if (silence <= longest / 2)
            return false;
        clock.Probe();
        return silence > longest && !channel.HasUnread;
    }

    /// <summary>Whether a write to the remote side made no progress for too long.</summary>
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
