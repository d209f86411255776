namespace Reloaded.Messaging.Games;

/// <summary>Where a peer's context lies, so that handlers can have it by reference.</summary>
internal sealed class PeerContext<TContext>(PeerContexts<TContext> owner, TContext value)
{
    public readonly PeerContexts<TContext> Owner = owner;

    public TContext Value = value;
}
