using System.Collections.Concurrent;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>The handlers of services' events at one host. A host has one handler for each type, and all clients of a service share it. Thread-safe.</summary>
internal sealed class ServiceEvents
{
    private static readonly ConditionalWeakTable<MessageHost, ServiceEvents> s_all = [];

    private readonly MessageHost _host;
    private readonly Dictionary<Type, ServiceEvent> _events = [];

    private ServiceEvents(MessageHost host) => _host = host;

    public static ServiceEvents Of(MessageHost host) => s_all.GetValue(host, static host => new ServiceEvents(host));

    /// <param name="peer">The peer whose events are handled; <c>null</c> for the events of all peers.</param>
    /// <param name="handler">The handler.</param>
    public void Add<TEvent, THandler>(Peer? peer, THandler handler)
        where TEvent : struct, IServiceEvent<THandler>
        where THandler : Delegate
    {
        lock (_events)
        {
            // A peer that has disconnected sends no event, and no later call would remove its handlers.
            if (peer is { Disconnected: not null })
                return;
            if (!_events.TryGetValue(typeof(TEvent), out var found))
                _events.Add(typeof(TEvent), found = new ServiceEvent<TEvent, THandler>(_host));
            found.Add(peer, handler);
        }
    }

    /// <inheritdoc cref="Add"/>
    public void Remove<TEvent, THandler>(Peer? peer, THandler handler)
        where TEvent : struct, IServiceEvent<THandler>
        where THandler : Delegate
    {
        lock (_events)
        {
            if (_events.TryGetValue(typeof(TEvent), out var found) && found.Remove(peer, handler))
                _events.Remove(typeof(TEvent));
        }
    }

    /// <summary>Removes the handlers of a peer that has ended. Its login may have been refused.</summary>
    public static void RemoveAll(Peer peer)
    {
        if (s_all.TryGetValue(peer.Host, out var all))
            all.Remove(peer);
    }

    private void Remove(Peer peer)
    {
        lock (_events)
        {
            var empty = new List<Type>();
            foreach (var (type, one) in _events)
            {
                if (one.Remove(peer, handler: null))
                    empty.Add(type);
            }

            foreach (var type in empty)
                _events.Remove(type);
        }
    }
}

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
    private readonly ConcurrentDictionary<Peer, THandler[]> _ofPeers = new(concurrencyLevel: 1, capacity: 1); // so that an event of one peer does not search the handlers of all
    private THandler[] _ofAll = []; // replaced by each change, as the arrays of peers, so that it can be read without a lock

    public ServiceEvent(MessageHost host) => _registration = host.On<TEvent>(Raise);

    public override void Add(Peer? peer, Delegate handler) => Set(peer, [.. Of(peer), (THandler)handler]);

    public override bool Remove(Peer? peer, Delegate? handler)
    {
        var handlers = Of(peer);
        var index = Array.FindLastIndex(handlers, one => one == handler);
        if (handler is null)
            Set(peer, []);
        else if (index >= 0)
            Set(peer, [.. handlers[..index], .. handlers[(index + 1)..]]);
        if (_ofAll.Length > 0 || !_ofPeers.IsEmpty)
            return false;
        _registration.Dispose();
        return true;
    }

    private THandler[] Of(Peer? peer) => peer is null ? Volatile.Read(ref _ofAll) : _ofPeers.GetValueOrDefault(peer) ?? [];

    private void Set(Peer? peer, THandler[] handlers)
    {
        if (peer is null)
            Volatile.Write(ref _ofAll, handlers);
        else if (handlers.Length > 0)
            _ofPeers[peer] = handlers;
        else
            _ofPeers.TryRemove(peer, out _);
    }

    private void Raise(in TEvent message, Peer from)
    {
        foreach (var handler in Of(null))
            message.Raise(handler);
        foreach (var handler in Of(from))
            message.Raise(handler);
    }
}

/// <summary>A generated message, which contains the arguments of a service's event. For generated code.</summary>
/// <typeparam name="THandler">The delegate of the event.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IServiceEvent<in THandler>
    where THandler : Delegate
{
    /// <summary>Calls a handler with the arguments.</summary>
    /// <param name="handler">The handler.</param>
    void Raise(THandler handler);
}
