using System;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.Authoring;

namespace Reloaded.Messaging.Games;

/// <summary>One value for each peer of a host, for example the player of the connection. Handlers receive it by reference. A struct is not boxed.</summary>
/// <remarks>
/// Created by <see cref="PeerContextExtensions.AddContext"/>. Handlers of one peer start one after the other, so no two of them use the context at the same time.
/// The program synchronizes all other access, or uses a pumped host and its thread.
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

    /// <summary>Gets the context of a peer. The first call for a peer creates it, on the calling thread.</summary>
    /// <exception cref="ArgumentException">Thrown when the peer belongs to another host.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref TContext Of(Peer peer)
    {
        ArgumentNullException.ThrowIfNull(peer);
        if (peer.GetExtensionState() is Holder context && context.Owner == this)
            return ref context.Value;
        return ref Create(peer).Value;
    }

    /// <summary>Registers a handler for events of a type, by the declared contract. The handler receives the context of the sender.</summary>
    /// <inheritdoc cref="On{T}(MessageContract{T}, MessageHandler{T, TContext})"/>
    public HandlerRegistration On<T>(MessageHandler<T, TContext> handler) => On(MessageContract.GetDeclared<T>(), handler);

    /// <summary>Registers a handler for events of a type. The handler receives the context of the sender.</summary>
    /// <param name="contract">The contract of the messages.</param>
    /// <param name="handler">The handler. Its exceptions are counted and reported; the peer stays connected.</param>
    /// <returns>The registration. Dispose it to remove the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type already has a handler.</exception>
    public HandlerRegistration On<T>(MessageContract<T> contract, MessageHandler<T, TContext> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return _host.On(contract, (in T message, Peer from) => handler(in message, ref Of(from)));
    }

    /// <summary>Registers an object that handles events of a type, by the declared contract. It receives the context of the sender.</summary>
    /// <inheritdoc cref="On{T}(MessageContract{T}, MessageHandler{T, TContext})"/>
    public HandlerRegistration On<T>(IMessageHandler<T, TContext> handler) => On(MessageContract.GetDeclared<T>(), handler);

    /// <summary>Registers an object that handles events of a type. It receives the context of the sender.</summary>
    /// <inheritdoc cref="On{T}(MessageContract{T}, MessageHandler{T, TContext})"/>
    public HandlerRegistration On<T>(MessageContract<T> contract, IMessageHandler<T, TContext> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return On(contract, handler.Handle);
    }

    /// <summary>Registers a handler for requests of a type, by the declared contracts. The handler receives the context of the sender.</summary>
    /// <param name="handler">The handler. If it throws, the requester receives a fault.</param>
    /// <returns>The registration. Dispose it to remove the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type already has a handler.</exception>
    public HandlerRegistration OnRequest<TRequest, TReply>(ContextRequestHandler<TRequest, TReply, TContext> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return _host.OnRequest((in TRequest request, Peer from) => handler(in request, ref Of(from)));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Holder Create(Peer peer)
    {
        if (peer.Host != _host)
            throw new ArgumentException($"{peer} belongs to another host and has no context here. Use the contexts of that host.", nameof(peer));
        var state = peer.GetOrCreateExtensionState(static (peer, self) => new Holder(self, self._create(peer)), this);
        return state is Holder context && context.Owner == this
            ? context
            : throw new InvalidOperationException($"The extension state of {peer.RemoteName} is used by {state.GetType()}. Only one package can extend the peers of a host.");
    }

    /// <summary>Holds the context of a peer, so that handlers can receive it by reference.</summary>
    private sealed class Holder(PeerContexts<TContext> owner, TContext value)
    {
        public readonly PeerContexts<TContext> Owner = owner;

        public TContext Value = value;
    }
}

/// <summary>Replies to a request, with the context of the sender. Runs on the thread that receives from the peer, or on the pumping thread. Return soon.</summary>
public delegate TReply ContextRequestHandler<TRequest, TReply, TContext>(in TRequest request, ref TContext context);
