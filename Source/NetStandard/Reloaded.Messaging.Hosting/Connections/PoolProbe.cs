using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>Queues the probe of a <see cref="ResponsiveClock"/> after the work that waits for a thread. On this target, received bytes wait in another queue than the work of the hosts, and a busy queue is helped by the thread pool. The probe is therefore an item of the thread pool.</summary>
internal static class PoolProbe
{
    public static void Queue(IThreadPoolWorkItem clock) => ThreadPool.UnsafeQueueUserWorkItem(static clock => ((IThreadPoolWorkItem)clock!).Execute(), clock);
}
