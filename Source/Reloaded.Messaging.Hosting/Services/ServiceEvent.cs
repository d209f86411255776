using System;
using System.Threading;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>The handlers of one event of a service at one host. <see cref="ServiceEvents"/> makes the changes, one at a time.</summary>
internal abstract class ServiceEvent
{
    /// <summary>Adds a handler.</summary>
    public abstract void Add(Peer? peer, Delegate handler);

    /// <summary>Removes the last handler that is equal, or all handlers of the peer if <paramref name="handler"/> is <c>null</c>.</summary>
    /// <returns><c>true</c> if no handler is left. The event is no longer registered at the host then.</returns>
    public abstract bool Remove(Peer? peer, Delegate? handler);
}

/// <inheritdoc/>
internal sealed class ServiceEvent<TEvent, THandler> : ServiceEvent
    where TEvent : struct, IServiceEvent<THandler>
    where THandler : Delegate
{
    private readonly HandlerRegistration _registration;
    private (Peer? Peer, THandler Handler)[] _handlers = []; // replaced by each change, so that it can be read without a lock

    public ServiceEvent(MessageHost host) => _registration = host.On<TEvent>(Raise);

    public override void Add(Peer? peer, Delegate handler) => Volatile.Write(ref _handlers, [.. _handlers, (peer, (THandler)handler)]);

    public override bool Remove(Peer? peer, Delegate? handler)
    {
        var left = handler is null
            ? Array.FindAll(_handlers, one => one.Peer != peer)
            : Without(Array.FindLastIndex(_handlers, one => one.Peer == peer && one.Handler == handler));
        Volatile.Write(ref _handlers, left);
        if (left.Length > 0)
            return false;
        _registration.Dispose();
        return true;
    }

    private (Peer? Peer, THandler Handler)[] Without(int index) => index < 0 ? _handlers : [.. _handlers[..index], .. _handlers[(index + 1)..]];

    private void Raise(in TEvent message, Peer from)
    {
        foreach (var (peer, handler) in Volatile.Read(ref _handlers))
        {
            if (peer is null || peer == from)
                message.Raise(handler);
        }
    }
}
