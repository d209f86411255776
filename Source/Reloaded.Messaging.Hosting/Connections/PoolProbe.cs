using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>Queues the probe of a <see cref="ResponsiveClock"/> after the work that waits for a thread.</summary>
internal static class PoolProbe
{
    public static void Queue(IThreadPoolWorkItem clock) => ThreadPool.UnsafeQueueUserWorkItem(clock, preferLocal: false);
}
