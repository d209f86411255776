namespace Reloaded.Messaging.Games;

/// <summary>What a loop does when more than one tick is due: an earlier one took too long, or the machine was busy.</summary>
public enum TickOverrunMode
{
    /// <summary>Runs the newest and skips the others, which are counted: for worlds that reckon with the tick's number.</summary>
    Skip,

    /// <summary>Runs them one after the other, up to <see cref="TickLoopOptions.MaxCatchUp"/>, and skips what is older: for worlds that take fixed steps.</summary>
    CatchUp,
}
