using System.ComponentModel;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>Registers the methods and events of one object at a host. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ServiceBinding
{
    private List<Action>? _undo = [];

    internal ServiceBinding(MessageHost host) => Host = host;

    /// <summary>The host at which a method with items or with progress is registered.</summary>
    public MessageHost Host { get; }

    /// <summary>Adds the registration of a method.</summary>
    /// <param name="registration">The registration, which the binding owns.</param>
    public void Add(HandlerRegistration registration) => _undo!.Add(registration.Dispose);

    /// <summary>Registers a method with a result.</summary>
    /// <param name="handler">Calls the method.</param>
    public void OnRequest<TRequest, TReply>(AsyncRequestHandler<TRequest, TReply, Peer> handler) => Add(Host.OnRequest(handler));

    /// <summary>Registers a method without a result.</summary>
    /// <param name="handler">Calls the method.</param>
    public void OnRequest<TRequest>(Func<TRequest, Peer, CancellationToken, ValueTask> handler) => Add(Host.OnRequest(handler));

    /// <summary>Connects an event of the object with a broadcast to all peers, and announces the contract of its message.</summary>
    /// <param name="subscribe">Adds the handler that broadcasts.</param>
    /// <param name="unsubscribe">Removes the handler.</param>
    public void OnRaised<TEvent>(Action subscribe, Action unsubscribe)
    {
        ArgumentNullException.ThrowIfNull(subscribe);
        Host.AnnounceContract<TEvent>();
        subscribe();
        _undo!.Add(unsubscribe);
    }

    /// <summary>Sends an event to all peers. The host counts the peers that do not receive it.</summary>
    /// <param name="message">The message of the event.</param>
    public void Broadcast<TEvent>(in TEvent message) => _ = Host.Broadcast(in message);

    /// <summary>Removes all handlers. The host then has no reference to the object, and the object none to the host. More than one call has no further effect.</summary>
    internal void Remove()
    {
        foreach (var undo in Interlocked.Exchange(ref _undo, null) ?? [])
            undo();
    }
}
