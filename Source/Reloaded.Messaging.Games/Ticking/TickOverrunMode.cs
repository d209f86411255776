namespace Reloaded.Messaging.Games;

/// <summary>The behavior of a loop when more than one tick is due, because a tick took too long or the machine was busy.</summary>
public enum TickOverrunMode
{
    /// <summary>Runs the newest tick, and counts the others as skipped. For worlds that compute their time from the tick's number.</summary>
    Skip,

    /// <summary>Runs the due ticks one after the other, up to <see cref="TickLoopOptions.MaxCatchUp"/>, and skips older ones. For worlds with fixed steps.</summary>
    CatchUp,
}
