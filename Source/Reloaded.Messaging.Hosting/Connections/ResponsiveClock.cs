using System;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>Counts the time in which this process was able to receive. Only this time counts as a peer's silence.</summary>
/// <remarks>
/// A process that was stopped, or whose thread pool has no free thread, reads nothing: bytes of honest peers lie unread meanwhile. A tick
/// that comes late therefore counts as <see cref="MaxStep"/> at most. While a probe waits for the thread pool, no time counts at all.
/// </remarks>
internal sealed class ResponsiveClock : IThreadPoolWorkItem
{
    /// <summary>The most milliseconds that one tick counts: twice the time between two ticks.</summary>
    public const int MaxStep = 100;

    private long _now;
    private long _lastTick = Environment.TickCount64;
    private int _isProbing;

    /// <summary>The time so far, in milliseconds.</summary>
    public long Now => Volatile.Read(ref _now);

    /// <summary>Counts the time since the last tick.</summary>
    /// <param name="now">The time, in <c>Environment.TickCount64</c>.</param>
    public void Tick(long now)
    {
        var step = Math.Clamp(now - _lastTick, 0, MaxStep);
        _lastTick = now;
        if (Volatile.Read(ref _isProbing) == 0)
            Volatile.Write(ref _now, _now + step);
    }

    /// <summary>Has the thread pool prove that it runs work: behind what waits there already, such as a receive that has completed.</summary>
    public void Probe()
    {
        if (Interlocked.Exchange(ref _isProbing, 1) == 0)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute() => Volatile.Write(ref _isProbing, 0);
}
