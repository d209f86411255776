using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using Reloaded.Messaging.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>The process's pool of message buffers: what it holds, and how to make it hold less.</summary>
/// <remarks>
/// Bounded: at most 1024 spare buffers a thread, 256 of them of up to 16 KiB and the others of 256 bytes. Gives memory back: every Gen2 collection lets all spare buffers go
/// but one a thread, and a thread's end those of that thread. Spare message objects (<see cref="InstancePool{T}"/>) go the same ways. Larger arrays are <see cref="System.Buffers.ArrayPool{T}.Shared"/>'s, which trims itself.
/// <para>
/// The <see cref="AppContext"/> switch <see cref="PoisonSwitch"/>, set before the first message, fills returned buffers with 0xDD, so that
/// a span kept past its message's release shows (a message that another thread released, once its home has it back). Meant for tests.
/// </para>
/// </remarks>
public static class MessagePool
{
    /// <summary>The name of the switch that poisons returned buffers.</summary>
    public const string PoisonSwitch = "Reloaded.Messaging.PoisonReturnedBuffers";

    internal const byte Poison = 0xDD;

    // Read once, so that the compiled code holds a constant.
    internal static readonly bool PoisonsReturnedBuffers = AppContext.TryGetSwitch(PoisonSwitch, out var on) && on;

    private static readonly List<WeakReference<ITrimmable>> s_caches = [];
    private static long s_secondReleases;
    private static volatile bool s_stopped;

    static MessagePool()
    {
        MessagingMetrics.ObserveBuffers(static () => GetStatistics().Outstanding);
        Gen2Trimmer.Start();
        LoadContextHook.OnUnloading(static () => s_stopped = true);
    }

    /// <summary>Makes the meter known to listeners. Whatever handles a process's first message calls it.</summary>
    internal static void PublishMetrics()
    {
        // The static constructor has done it.
    }

    /// <summary>A snapshot of the counts. Any thread; takes a lock, so not for a hot path.</summary>
    public static PoolStatistics GetStatistics()
    {
        lock (s_caches)
        {
            var outstanding = 0;
            var spare = 0;
            foreach (var reference in s_caches)
            {
                if (!reference.TryGetTarget(out var trimmable) || trimmable is not ThreadCache cache)
                    continue;
                outstanding += cache.Outstanding;
                spare += cache.Spare;
            }

            return new PoolStatistics(outstanding, spare, Volatile.Read(ref s_secondReleases));
        }
    }

    /// <summary>Lets all spare buffers of all threads go to the garbage collector, but one a thread, and all spare message objects. Any thread.</summary>
    public static void Trim()
    {
        lock (s_caches)
        {
            s_caches.RemoveAll(static reference => !reference.TryGetTarget(out _));
            foreach (var reference in s_caches)
            {
                if (reference.TryGetTarget(out var cache))
                    cache.Trim();
            }
        }
    }

    /// <summary>Has every trim call this one too, for as long as something else keeps it alive.</summary>
    internal static void Register(ITrimmable cache)
    {
        lock (s_caches)
            s_caches.Add(new WeakReference<ITrimmable>(cache));
    }

    internal static void CountSecondRelease() => Interlocked.Increment(ref s_secondReleases);

    /// <summary>An object that nobody holds: its finalizer runs after each collection of its generation, which soon is the last one.</summary>
    private sealed class Gen2Trimmer
    {
        ~Gen2Trimmer()
        {
            Trim();
            OnDemandCounters.StopIfIdle(Stopwatch.GetTimestamp());
            if (!s_stopped && !Environment.HasShutdownStarted)
                GC.ReRegisterForFinalize(this);
        }

        public static void Start() => _ = new Gen2Trimmer();
    }
}
