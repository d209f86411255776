using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>Registers the methods and events of one object at a host. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ServiceBinding
{
    private readonly MessageHost _host;
    private List<Action>? _undo = [];

    internal ServiceBinding(MessageHost host) => _host = host;

    /// <summary>Registers a method with a result.</summary>
    /// <param name="handler">Calls the method.</param>
    public void OnRequest<TRequest, TReply>(AsyncRequestHandler<TRequest, TReply, Peer> handler) => _undo!.Add(_host.OnRequest(handler).Dispose);

    /// <summary>Registers a method without a result.</summary>
    /// <param name="handler">Calls the method.</param>
    public void OnRequest<TRequest>(Func<TRequest, Peer, CancellationToken, ValueTask> handler) => _undo!.Add(_host.OnRequest(handler).Dispose);

    /// <summary>Connects an event of the object with a broadcast to all peers, and announces the contract of its message.</summary>
    /// <param name="subscribe">Adds the handler that broadcasts.</param>
    /// <param name="unsubscribe">Removes the handler.</param>
    public void OnRaised<TEvent>(Action subscribe, Action unsubscribe)
    {
        ArgumentNullException.ThrowIfNull(subscribe);
        _host.AnnounceContract<TEvent>();
        subscribe();
        _undo!.Add(unsubscribe);
    }

    /// <summary>Sends an event to all peers. The host counts the peers that do not receive it.</summary>
    /// <param name="message">The message of the event.</param>
    public void Broadcast<TEvent>(in TEvent message) => _ = _host.Broadcast(in message);

    /// <summary>Removes all handlers. The host then has no reference to the object, and the object none to the host. More than one call has no further effect.</summary>
    internal void Remove()
    {
        foreach (var undo in Interlocked.Exchange(ref _undo, null) ?? [])
            undo();
    }
}
