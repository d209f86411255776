using System.Diagnostics;

namespace Reloaded.Messaging.Hosting;

/// <summary>Detects whether the remote side still sends and still reads. Checked by the timer of the host.</summary>
internal sealed class KeepAlive(TransportChannel channel, Outbox outbox)
{
    private const long Never = long.MinValue / 2; // in the past for every interval

    private long? _progress;
    private long _progressAt;
    private long _pingedAt; // the number of the ping that has no reply yet; 0 for none
    private long _lastPing = Never;
    private long _roundTripTicks;
    private long _unansweredSince;
    private long _lastHeard = long.MaxValue;

    /// <summary>The time at which the wait for bytes of the remote side began, by the host's clock; <see cref="long.MaxValue"/> while messages are handled and no wait is active.</summary>
    public long LastHeard
    {
        get => Volatile.Read(ref _lastHeard); // a 32-bit process reads a plain long in two parts
        set => Volatile.Write(ref _lastHeard, value);
    }

    /// <summary>Whether this side handles messages and does not wait for bytes of the remote side.</summary>
    public bool IsHandling => LastHeard == long.MaxValue;

    /// <summary>The round-trip time of the last ping, or the age of the oldest ping without a reply if that is longer; zero before the first reply.</summary>
    public TimeSpan RoundTripTime
    {
        get
        {
            var (last, since) = (Volatile.Read(ref _roundTripTicks), Volatile.Read(ref _unansweredSince));
            var age = last == 0 || since == 0 ? 0 : TimeProvider.System.GetElapsedTime(since).Ticks;
            return TimeSpan.FromTicks(Math.Max(last, age));
        }
    }

    /// <summary>Whether the last ping is older than an interval. The first ping is due at once, so that the round-trip time is known soon.</summary>
    /// <param name="now">The time, in <c>Environment.TickCount64</c>.</param>
    /// <param name="interval">The interval, in milliseconds.</param>
    public bool IsPingDue(long now, double interval) => now - Volatile.Read(ref _lastPing) >= interval;

    /// <summary>Begins to measure a round trip.</summary>
    /// <param name="now">The time, in <c>Environment.TickCount64</c>.</param>
    /// <returns>The number to send in the ping.</returns>
    public long BeginPing(long now)
    {
        Volatile.Write(ref _lastPing, now);
        var number = Stopwatch.GetTimestamp();
        Volatile.Write(ref _pingedAt, number);
        Interlocked.CompareExchange(ref _unansweredSince, number, 0);
        return number;
    }

    /// <summary>Ends the measurement if the pong has the number of the last ping. A pong with another number is late or invalid.</summary>
    public void NotePong(long sentAt)
    {
        if (sentAt == 0 || Interlocked.CompareExchange(ref _pingedAt, 0, sentAt) != sentAt)
            return;
        Volatile.Write(ref _roundTripTicks, Math.Max(1, TimeProvider.System.GetElapsedTime(sentAt).Ticks));
        Volatile.Write(ref _unansweredSince, 0);
    }

    /// <summary>Whether the remote side was silent for too long.</summary>
    /// <param name="clock">The clock. It is probed before the limit is reached, so that the time of a busy thread pool does not count.</param>
    /// <param name="longest">The limit, in milliseconds.</param>
    public bool IsSilent(ResponsiveClock clock, double longest) => IsPast(longest, LastHeard, clock) && !channel.HasUnread;

    /// <summary>Whether a write to the remote side made no progress for too long, or the remote side acknowledged nothing although something waits for that.</summary>
    /// <inheritdoc cref="IsSilent"/>
    public bool IsNotReading(ResponsiveClock clock, double longest)
    {
        var progress = outbox.WriteProgress ?? channel.AcknowledgedProgress;
        if (progress is null || progress != _progress)
            (_progress, _progressAt) = (progress, clock.Now);
        return IsPast(longest, _progressAt, clock);
    }

    private static bool IsPast(double longest, long since, ResponsiveClock clock)
    {
        var passed = clock.Now - since;
        if (passed <= longest / 2)
            return false;
        clock.Probe();
        return passed > longest;
    }
}
