using System.Diagnostics;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>The two counts that every message would move: kept only while somebody collects them.</summary>
/// <remarks>
/// Whether anybody listens to an instrument takes three loads to find out, one behind the other; this flag takes one. With the former a
/// dispatch took a fifth longer. A collection sets the flag, and a Gen2 collection clears it once nobody has collected for ten minutes.
/// </remarks>
internal static class OnDemandCounters
{
    /// <summary>Whether to count. Read without a fence: a message more or less at the start is no matter.</summary>
    internal static bool IsOn;

    private static readonly long s_idleTicks = 600 * Stopwatch.Frequency;
    private static long s_packed;
    private static long s_dispatched;
    private static long s_collectedAt;

    internal static void AddPacked(int messages) => Interlocked.Add(ref s_packed, messages);

    internal static void AddDispatched() => Interlocked.Increment(ref s_dispatched);

    internal static long CollectPacked() => Collect(ref s_packed);

    internal static long CollectDispatched() => Collect(ref s_dispatched);

    /// <summary>Stops counting once nobody collects any more.</summary>
    internal static void StopIfIdle(long now)
    {
        var collectedAt = Volatile.Read(ref s_collectedAt);
        if (now - collectedAt <= s_idleTicks)
            return;

        IsOn = false;
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref s_collectedAt) != collectedAt)
            IsOn = true; // somebody collected meanwhile, and may have set it before it was cleared
    }

    private static long Collect(ref long count)
    {
        Volatile.Write(ref s_collectedAt, Stopwatch.GetTimestamp());
        IsOn = true;
        return Volatile.Read(ref count);
    }
}
