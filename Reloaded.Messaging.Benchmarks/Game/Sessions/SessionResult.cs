namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>The cost of a number of sessions for both processes together, and the notifications that they received.</summary>
/// <param name="Seconds">The time to establish the sessions.</param>
/// <param name="Rate">The number of sessions established per second.</param>
/// <param name="Cores">The number of cores used meanwhile.</param>
/// <param name="HeapKiB">The managed heap per session, in KiB.</param>
/// <param name="ResidentKiB">The resident memory per session, in KiB, without the socket buffers of the kernel.</param>
/// <param name="Expected">The number of notifications of all sessions.</param>
/// <param name="Received">The number of notifications that arrived, each counted once.</param>
/// <param name="Incomplete">The number of sessions that miss a notification.</param>
/// <param name="Repeated">The number of duplicates.</param>
/// <param name="Wrong">The number of notifications for another session, for an unknown change, or with a wrong value.</param>
/// <param name="Median">The median of the times from sending a change to receiving its notification, in milliseconds.</param>
/// <param name="Late">The 99th percentile of these times.</param>
/// <param name="NotifyingCores">The number of cores used while notifications were sent.</param>
public sealed record SessionResult(
    double Seconds,
    double Rate,
    double Cores,
    double HeapKiB,
    double ResidentKiB,
    int Expected,
    int Received,
    int Incomplete,
    int Repeated,
    int Wrong,
    double Median,
    double Late,
    double NotifyingCores)
{
    /// <summary>The part of the notifications that arrived, in percent; 100 if there were none.</summary>
    public double Delivered => Expected == 0 ? 100 : 100.0 * Received / Expected;

    /// <summary>Whether each session received each change once, and nothing else.</summary>
    public bool IsComplete => Received == Expected && Repeated + Wrong == 0;
}
