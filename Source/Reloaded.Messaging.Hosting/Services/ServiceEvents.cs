using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>The handlers of services' events at one host. A host has one handler for each type, and all clients of a service share it. Thread-safe.</summary>
internal sealed class ServiceEvents
{
    private static readonly ConditionalWeakTable<MessageHost, ServiceEvents> s_all = [];

    private readonly MessageHost _host;
    private readonly Dictionary<Type, ServiceEvent> _events = [];

    private ServiceEvents(MessageHost host)
    {
        _host = host;
        host.PeerDisconnected += (peer, _) => RemoveAll(peer);
    }

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

    private void RemoveAll(Peer peer)
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
