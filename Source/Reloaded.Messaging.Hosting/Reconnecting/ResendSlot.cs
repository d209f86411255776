namespace Reloaded.Messaging.Hosting;

/// <summary>The slot in which a request may be sent.</summary>
/// <typeparam name="TPeer">A peer.</typeparam>
internal readonly struct ResendSlot<TPeer>(TPeer? peer, TaskCompletionSource? taken)
    where TPeer : class
{
    /// <summary>The peer to send to; <c>null</c> if the request cannot be sent.</summary>
    public readonly TPeer? Peer = peer;

    /// <summary>Completes when the slot ends, so that the next request may be sent; <c>null</c> if no request waits for it.</summary>
    public readonly TaskCompletionSource? Taken = taken;

    /// <summary>Whether <c>Peer</c> is <c>null</c> because the client no longer reconnects, and not because the wait of the request ended.</summary>
    public bool IsLast { get; init; }

    /// <summary>Ends the slot: the request was sent, or will not be sent.</summary>
    public void End() => Taken?.TrySetResult();
}
