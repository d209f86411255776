namespace Reloaded.Messaging.Games;

/// <summary>Holds the context of a peer, so that handlers can receive it by reference.</summary>
internal sealed class PeerContext<TContext>(PeerContexts<TContext> owner, TContext value)
{
    public readonly PeerContexts<TContext> Owner = owner;

    public TContext Value = value;
}
