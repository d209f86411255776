using System;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Games;

/// <summary>Adds per-peer contexts to a host.</summary>
public static class PeerContextExtensions
{
    // Weak keys: the table keeps no host alive.
    private static readonly ConditionalWeakTable<MessageHost, object> s_hosts = new();

    /// <summary>Gives each peer of a host a value that handlers receive by reference, for example the player of the connection.</summary>
    /// <param name="host">The host. A host has at most one context.</param>
    /// <param name="create">Creates the value of a peer. Called when the context of a peer is first used. If several threads use it first at the same time, each of them calls it, and one value is kept.</param>
    /// <returns>The contexts, on which handlers are registered.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the host already has a context.</exception>
    public static PeerContexts<TContext> AddContext<TContext>(this MessageHost host, Func<Peer, TContext> create)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(create);
        var contexts = new PeerContexts<TContext>(host, create);
        lock (s_hosts)
        {
            if (s_hosts.TryGetValue(host, out _))
                throw new InvalidOperationException("The host already has a context. Put the data of both users into one type.");
            s_hosts.Add(host, contexts);
        }

        return contexts;
    }
}
