using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Takes a host from the timer of the process, so that a test decides when the host does its periodic work.</summary>
internal static class ManualTicks
{
    /// <summary>Removes a host from the timer, and waits until no tick of it runs.</summary>
    /// <returns>The time, in <c>Environment.TickCount64</c>. No tick of the host had a later time.</returns>
    public static async Task<long> StopTimerAsync(this MessageHost host)
    {
        var ticks = 0;
        Action<long> other = _ => Interlocked.Increment(ref ticks);
        HostTimer.Shared.Add(other); // first, so that the thread of the timer stays the same
        HostTimer.Shared.Remove(host.Tick);
        await Signal.UntilAsync(() => Volatile.Read(ref ticks) >= 2); // the loop that may have had the host has ended
        HostTimer.Shared.Remove(other);
        return Environment.TickCount64;
    }
}
