namespace Reloaded.Messaging;

/// <summary>The condition that a <see cref="RingWaiter"/> waits for.</summary>
internal interface IRingWait
{
    /// <summary>Whether the channel was closed on this side: then nothing is waited for any more.</summary>
    bool IsOver { get; }

    /// <summary>Whether an operation waits.</summary>
    bool IsPending { get; }

    /// <summary>Whether the waiting operation can continue, or has failed.</summary>
    bool CanComplete { get; }

    /// <summary>Goes on with the operation that waits, if there still is one, and completes it if it can.</summary>
    void Complete();
}
