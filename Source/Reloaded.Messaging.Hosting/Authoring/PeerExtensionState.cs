using System;
using System.Threading;

namespace Reloaded.Messaging.Hosting.Authoring;

/// <summary>The state that a package built on hosts keeps with each peer. Programs use <see cref="Peer.Tag"/>.</summary>
public static class PeerExtensionState
{
    /// <summary>The state of the package, or <c>null</c> before it is created.</summary>
    /// <param name="peer">The peer.</param>
    public static object? GetExtensionState(this Peer peer)
    {
        ArgumentNullException.ThrowIfNull(peer);
        return Volatile.Read(ref peer.ExtensionState);
    }

    /// <summary>Returns the state of the package, and creates it on the first call.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="create">Creates the state. If several threads make the first call at the same time, it is called by each of them, and one result is kept.</param>
    /// <param name="argument">Passed to <paramref name="create"/>, so that it needs no closure.</param>
    public static object GetOrCreateExtensionState<TArgument>(this Peer peer, Func<Peer, TArgument, object> create, TArgument argument)
    {
        ArgumentNullException.ThrowIfNull(create);
        if (peer.GetExtensionState() is { } state)
            return state;
        var created = create(peer, argument);
        return Interlocked.CompareExchange(ref peer.ExtensionState, created, null) ?? created;
    }
}
