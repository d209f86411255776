namespace Reloaded.Messaging;

/// <summary>The state of the thread of one side that waits for the other side.</summary>
internal static class SleepState
{
    /// <summary>The thread looks by itself: no wake-up is needed.</summary>
    public const int Awake = 0;

    /// <summary>The thread sleeps, or is about to, until the other side has moved its position or has ended.</summary>
    public const int Waiting = 1;

    /// <summary>The thread sleeps and has nothing to wait for: its own process wakes it.</summary>
    public const int Idle = 2;
}
