using System.Diagnostics;
using Reloaded.Messaging.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>The process-wide pool of message buffers: statistics and trimming.</summary>
/// <remarks>
/// Limits: at most 1,024 spare buffers per thread, 256 of them of up to 16 KiB and the others of 256 bytes. Every Gen2 collection releases all spare buffers
/// except one per thread, and the end of a thread releases those of the thread. Spare message objects (<see cref="InstancePool{T}"/>) are released in the same way. Larger arrays belong to <see cref="System.Buffers.ArrayPool{T}.Shared"/>, which trims itself.
/// <para>
/// The <see cref="AppContext"/> switch <see cref="PoisonSwitch"/>, set before the first message, fills returned buffers with 0xDD, so that
/// a span that is used after the release is noticed. A buffer that was released on another thread is filled when its owner thread takes it back. For tests.
/// </para>
/// </remarks>
public static class MessagePool
{
    /// <summary>The name of the switch that fills returned buffers with 0xDD.</summary>
    public const string PoisonSwitch = "Reloaded.Messaging.PoisonReturnedBuffers";

    internal const byte Poison = 0xDD;

    // Read once, so that the compiled code holds a constant.
    internal static readonly bool PoisonsReturnedBuffers = AppContext.TryGetSwitch(PoisonSwitch, out var on) && on;

    private static readonly List<WeakReference<ITrimmable>> s_caches = [];
    private static long s_secondReleases;
    private static volatile bool s_stopped;

    static MessagePool()
    {
        Gen2Trimmer.Start();
        LoadContextHook.OnUnloading(static () => s_stopped = true);
    }

    /// <summary>Publishes the meter to listeners. Called when the process creates its first writer or dispatcher, under no lock and in no type initializer.</summary>
    internal static void PublishMetrics() => MessagingMetrics.Publish(static () => GetStatistics().Outstanding);

    /// <summary>Gets a snapshot of the counts. Thread-safe. It takes a lock, so do not call it on a hot path.</summary>
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

    /// <summary>Releases all spare buffers of all threads, except one per thread, and all spare message objects, to the garbage collector. Thread-safe.</summary>
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

    /// <summary>Registers an object that every trim calls, as long as the object is alive.</summary>
    internal static void Register(ITrimmable cache)
    {
        lock (s_caches)
            s_caches.Add(new WeakReference<ITrimmable>(cache));
    }

    internal static void CountSecondRelease() => Interlocked.Increment(ref s_secondReleases);

    /// <summary>An unreferenced object. Its finalizer runs after each collection of its generation, which soon is the oldest one.</summary>
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

/// <summary>The contents of the pool. Exact while no thread packs, releases or pumps a queue: a pump returns the buffers of other threads 32 at a time, and the rest at its end.</summary>
/// <param name="Outstanding">The number of buffers in use. A number that only grows means that messages are not released.</param>
/// <param name="Spare">The number of spare buffers.</param>
/// <param name="SecondReleases">The number of releases of messages that were already released, since the process started. Each is a defect of the program.</param>
public readonly record struct PoolStatistics(int Outstanding, int Spare, long SecondReleases);

/// <summary>An object that keeps memory for reuse and can release it.</summary>
internal interface ITrimmable
{
    /// <summary>Releases the kept memory. Called on any thread, also while others use the object, and inside of the pool's lock: it must not take a lock that is held while registering.</summary>
    void Trim();
}
