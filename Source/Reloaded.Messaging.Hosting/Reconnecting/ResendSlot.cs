using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>A request's turn to be sent.</summary>
/// <typeparam name="TPeer">A peer.</typeparam>
/// <param name="Peer">To whom; null when there will be no turn.</param>
/// <param name="Taken">What the next in line waits for; null where nobody does.</param>
internal readonly record struct ResendSlot<TPeer>(TPeer? Peer, TaskCompletionSource? Taken)
    where TPeer : class
{
    /// <summary>Without a peer: whether there will be none any more, and it was not its patience that ended.</summary>
    public bool IsLast { get; init; }

    /// <summary>Says that the request was sent, or won't be.</summary>
    public void End() => Taken?.TrySetResult();
}
