namespace Reloaded.Messaging.Hosting;

/// <summary>Measures the time in which this process was able to receive. Only this time counts as the silence of a peer.</summary>
/// <remarks>
/// A process that was stopped, or whose thread pool has no free thread, does not read, although peers have sent bytes. A late tick therefore
/// counts as <see cref="MaxStep"/> at most. While a probe waits for the thread pool, no time counts.
/// </remarks>
internal sealed class ResponsiveClock
{
    /// <summary>The maximum time that one tick counts, in milliseconds: twice the time between two ticks.</summary>
    public const int MaxStep = 100;

    private long _now;
    private long _lastTick = Environment.TickCount64;
    private int _isProbing;

    /// <summary>The measured time, in milliseconds.</summary>
    public long Now => Volatile.Read(ref _now);

    /// <summary>Adds the time since the last tick.</summary>
    /// <param name="now">The time, in <c>Environment.TickCount64</c>.</param>
    public void Tick(long now)
    {
        var step = Math.Clamp(now - _lastTick, 0, MaxStep);
        _lastTick = now;
        if (Volatile.Read(ref _isProbing) == 0)
            Volatile.Write(ref _now, _now + step);
    }

    /// <summary>Queues a probe to the thread pool. It runs after the work that is already queued, such as the continuation of a completed receive.</summary>
    /// <remarks>The queue of <see cref="IThreadPoolWorkItem"/> is not used: for netstandard2.1, received bytes wait in another queue than the work of the hosts.</remarks>
    public void Probe()
    {
        if (Interlocked.Exchange(ref _isProbing, 1) == 0)
            ThreadPool.UnsafeQueueUserWorkItem(static clock => Volatile.Write(ref ((ResponsiveClock)clock!)._isProbing, 0), this);
    }
}
