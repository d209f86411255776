namespace Reloaded.Messaging.Hosting;

/// <summary>One value for each peer, such as its role or its player. Handlers can receive it by reference. A struct is not boxed.</summary>
/// <remarks>
/// Serves the peers of all hosts; a program may have several, in static fields or beside a host. The value is readable after the peer has disconnected, and is collected with the peer.
/// A client that reconnects has a new peer, with a new value.
/// <see cref="Of"/> is thread-safe, and all threads get the same value. Handlers of one peer start one after the other, so no two synchronous ones use the value at the same time.
/// The program synchronizes all other access to the value, or uses a pumped host and its thread.
/// </remarks>
public sealed class PeerState<T>
{
    private readonly Func<Peer, T> _create;

    /// <summary>Creates a state without values.</summary>
    /// <param name="create">Creates the value of a peer. Called when the value is first used, on that thread and under no lock. If several threads use it first at the same time, each of them may call it, and one value is kept. After an exception, the next use calls it again.</param>
    public PeerState(Func<Peer, T> create)
    {
        ArgumentNullException.ThrowIfNull(create);
        _create = create;
    }

    /// <summary>Returns the value of a peer by reference. The first call for a peer creates it; later calls allocate nothing.</summary>
    public ref T Of(Peer peer)
    {
        ArgumentNullException.ThrowIfNull(peer);
        return ref (Find(Volatile.Read(ref peer.States)) ?? Create(peer)).Value;
    }

    /// <summary>Registers a handler for events of a type at a host, by the declared contract. The handler receives the value of the sender.</summary>
    /// <inheritdoc cref="On{TMessage}(MessageHost, MessageContract{TMessage}, MessageHandler{TMessage, T})"/>
    public HandlerRegistration On<TMessage>(MessageHost host, MessageHandler<TMessage, T> handler) => On(host, MessageContract.GetDeclared<TMessage>(), handler);

    /// <summary>Registers a handler for events of a type at a host. The handler receives the value of the sender.</summary>
    /// <param name="host">The host.</param>
    /// <param name="contract">The contract of the messages.</param>
    /// <param name="handler">The handler. Its exceptions are counted and reported; the peer stays connected.</param>
    /// <returns>The registration. Dispose it to remove the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type already has a handler.</exception>
    public HandlerRegistration On<TMessage>(MessageHost host, MessageContract<TMessage> contract, MessageHandler<TMessage, T> handler)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(handler);
        return host.On(contract, (in TMessage message, Peer from) => handler(in message, ref Of(from)));
    }

    /// <summary>Registers a handler for requests of a type at a host, by the declared contracts. The handler receives the value of the sender.</summary>
    /// <param name="host">The host.</param>
    /// <param name="handler">The handler. If it throws, the requester receives a fault.</param>
    /// <returns>The registration. Dispose it to remove the handler.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type already has a handler.</exception>
    public HandlerRegistration OnRequest<TRequest, TReply>(MessageHost host, ContextRequestHandler<TRequest, TReply, T> handler)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(handler);
        return host.OnRequest((in TRequest request, Peer from) => handler(in request, ref Of(from)));
    }

    private Holder? Find(PeerStateHolder? holder)
    {
        for (; holder is not null; holder = holder.Next)
        {
            if (holder.Owner == this)
                return (Holder)holder;
        }

        return null;
    }

    private Holder Create(Peer peer)
    {
        var created = new Holder(this, _create(peer));
        while (true)
        {
            var first = Volatile.Read(ref peer.States);
            if (Find(first) is { } other)
                return other; // another thread was faster
            created.Next = first;
            if (Interlocked.CompareExchange(ref peer.States, created, first) == first)
                return created;
        }
    }

    private sealed class Holder(PeerState<T> owner, T value) : PeerStateHolder(owner)
    {
        public T Value = value;
    }
}

/// <summary>Replies to a request, with a value of the sender. Runs on the thread that receives from the peer, or on the pumping thread. Return soon.</summary>
public delegate TReply ContextRequestHandler<TRequest, TReply, TContext>(in TRequest request, ref TContext context);

/// <summary>Holds the value of a peer for one <see cref="PeerState{T}"/>.</summary>
internal abstract class PeerStateHolder(object owner)
{
    public readonly object Owner = owner;

    /// <summary>The holder that was added before this one. Set before this one is added.</summary>
    public PeerStateHolder? Next;
}
