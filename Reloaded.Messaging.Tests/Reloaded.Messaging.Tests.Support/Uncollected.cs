using System.Runtime;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Runs code with no collection meanwhile: a full one empties the pools. For quiet tests, since nothing else may allocate beside them.</summary>
public static class Uncollected
{
    private const long MostAllocated = 32 << 20;

    /// <summary>Runs it on a thread of its own, whose pools start empty.</summary>
    public static void Run(Action action) => OtherThread.Run(() => Here(action));

    /// <summary>Runs it on this thread.</summary>
    public static void Here(Action action)
    {
        GC.TryStartNoGCRegion(MostAllocated);
        try
        {
            GC.WaitForPendingFinalizers(); // the pool trims itself in one, after the collection that made the room, too
            action();
        }
        finally
        {
            if (GCSettings.LatencyMode == GCLatencyMode.NoGCRegion)
                GC.EndNoGCRegion();
        }
    }
}
