using System;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Games;

/// <summary>A value for each peer of a host, the player behind it say, which handlers get by reference. A struct lies there unboxed.</summary>
/// <remarks>
/// Created by <see cref="PeerContextExtensions.AddContext"/>. Handlers of one peer start one after the other, and so have its context to themselves; whoever else
/// uses it takes turns with them by a means of its own, or by a pumped host.
/// </remarks>
public sealed class PeerContexts<TContext>
{
    private readonly MessageHost _host;
    private readonly Func<Peer, TContext> _create;

    internal PeerContexts(MessageHost host, Func<Peer, TContext> create)
    {
        _host = host;
        _create = create;
    }

    /// <summary>A peer's context; made by the first call for the peer, on its thread.</summary>
    /// <exception cref="ArgumentException">The peer is another host's.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref TContext Of(Peer peer)
    {
        ArgumentNullException.ThrowIfNull(peer);
        if (peer.ExtensionState is PeerContext<TContext> context && context.Owner == this)
            return ref context.Value;
        return ref Create(peer).Value;
    }

    /// <summary>Handles events of a type, by its declared contract, with the context of who sent them.</summary>
    /// <inheritdoc cref="On{T}(MessageContract{T}, MessageHandler{T, TContext})"/>
    public HandlerRegistration On<T>(MessageHandler<T, TContext> handler) => On(MessageContract.GetDeclared<T>(), handler);

    /// <summary>Handles events of a type with the context of who sent them.</summary>
    /// <param name="contract">What its messages are on the wire.</param>
    /// <param name="handler">What to call. What it throws is counted and reported; the peer goes on.</param>
    /// <returns>The handle that removes it again.</returns>
    /// <exception cref="InvalidOperationException">The type has a handler.</exception>
    public HandlerRegistration On<T>(MessageContract<T> contract, MessageHandler<T, TContext> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return _host.On(contract, (in T message, Peer from) => handler(in message, ref Of(from)));
    }

    /// <summary>Has an object handle events of a type, by its declared contract, with the context of who sent them.</summary>
    /// <inheritdoc cref="On{T}(MessageContract{T}, MessageHandler{T, TContext})"/>
    public HandlerRegistration On<T>(IMessageHandler<T, TContext> handler) => On(MessageContract.GetDeclared<T>(), handler);

    /// <summary>Has an object handle events of a type with the context of who sent them.</summary>
    /// <inheritdoc cref="On{T}(MessageContract{T}, MessageHandler{T, TContext})"/>
    public HandlerRegistration On<T>(MessageContract<T> contract, IMessageHandler<T, TContext> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return On(contract, handler.Handle);
    }

    /// <summary>Answers requests of a type, by the types' declared contracts, with the context of who sent them.</summary>
    /// <param name="handler">What to call. When it throws, the requester gets a fault.</param>
    /// <returns>The handle that removes it again.</returns>
    /// <exception cref="InvalidOperationException">The type has a handler.</exception>
    public HandlerRegistration OnRequest<TRequest, TReply>(ContextRequestHandler<TRequest, TReply, TContext> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return _host.OnRequest((in TRequest request, Peer from) => handler(in request, ref Of(from)));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PeerContext<TContext> Create(Peer peer)
    {
        if (peer.Host != _host)
            throw new ArgumentException($"{peer} is another host's peer, and has no context here.", nameof(peer));
        var state = peer.GetOrCreateExtensionState(static (peer, self) => new PeerContext<TContext>(self, self._create(peer)), this);
        return state is PeerContext<TContext> context && context.Owner == this
            ? context
            : throw new InvalidOperationException($"The extension state of {peer.RemoteName} is in use by {state.GetType()}. A host has room for one such package.");
    }
}
