using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Counts the messages of a host by peer and by type from its creation until it is disposed. Thread-safe.</summary>
internal sealed class HostTraffic : IDisposable
{
    private const int MaxTypes = 1024;

    /// <summary>The entry of all received types without a contract of this host. Otherwise, a peer could fill the list with invented types.</summary>
    private const uint UnknownTypes = uint.MaxValue;

    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly ConcurrentDictionary<long, TrafficCount> _peers = new();
    private readonly ConcurrentDictionary<uint, TrafficCount> _types = new();
    private readonly MessageHost _host;
    private readonly IDisposable _tap;

    public HostTraffic(MessageHost host)
    {
        _host = host;
        _tap = host.Tap(Count);
    }

    /// <summary>The time since the creation.</summary>
    public TimeSpan Elapsed => TimeSpan.FromSeconds((Stopwatch.GetTimestamp() - _start) / (double)Stopwatch.Frequency);

    public void Dispose() => _tap.Dispose();

    /// <summary>Returns the connected peers and their traffic.</summary>
    public List<InspectedPeer> GetPeers()
    {
        foreach (var (id, _) in _peers)
        {
            if (!_host.Registry.Contains(id))
                _peers.TryRemove(id, out _);
        }

        var peers = new List<InspectedPeer>();
        foreach (var (_, peer) in _host.Registry.Connected)
            peers.Add(Describe(peer));
        peers.Sort(static (left, right) => left.Id.CompareTo(right.Id));
        Shorten(peers, HostInspection.MaxPeers);
        return peers;
    }

    /// <summary>Returns the types with traffic, the types with the most messages first.</summary>
    public List<InspectedType> GetTypes()
    {
        var names = new Dictionary<uint, string>();
        foreach (var contract in _host.Contracts.GetAll())
            names[contract.Type] = contract.MessageType.FullName ?? contract.MessageType.Name;
        var types = new List<InspectedType>();
        foreach (var (type, traffic) in _types)
            types.Add(Describe(type, names.TryGetValue(type, out var name) ? name : type == UnknownTypes ? "(types without a contract here)" : "", traffic));
        types.Sort(static (left, right) => (right.Received + right.Sent).CompareTo(left.Received + left.Sent));
        Shorten(types, HostInspection.MaxTypes);
        return types;
    }

    private static void Shorten<T>(List<T> list, int length)
    {
        if (list.Count > length)
            list.RemoveRange(length, list.Count - length);
    }

    private static InspectedType Describe(uint type, string name, TrafficCount traffic) => new()
    {
        Type = type,
        Name = name,
        Received = traffic.Received,
        ReceivedBytes = traffic.ReceivedBytes,
        Sent = traffic.Sent,
        SentBytes = traffic.SentBytes,
    };

    private InspectedPeer Describe(Peer peer)
    {
        const int MaxName = 200;
        var traffic = _peers.GetOrAdd(peer.Id, static _ => new TrafficCount());
        return new InspectedPeer
        {
            Id = peer.Id,
            Name = peer.RemoteName.Length <= MaxName ? peer.RemoteName : peer.RemoteName.Substring(0, MaxName),
            RoundTripTime = peer.RoundTripTime,
            Received = traffic.Received,
            ReceivedBytes = traffic.ReceivedBytes,
            Sent = traffic.Sent,
            SentBytes = traffic.SentBytes,
            PendingBytes = peer.Connection.Outbox.PendingBytes,
        };
    }

    private void Count(in TappedMessage message)
    {
        var isSent = message.Direction == MessageDirection.Sent;
        _peers.GetOrAdd(message.Peer.Id, static _ => new TrafficCount()).Add(isSent, message.Length);
        if (message.Header.Kind == MessageKind.Control)
            return;
        var type = message.Header.Type;
        if (!_types.TryGetValue(type, out var traffic))
        {
            if (!isSent && message.Header.Kind is MessageKind.Event or MessageKind.Request && _host.Contracts.Find(type) is null)
                type = UnknownTypes;
            if (_types.Count >= MaxTypes && type != UnknownTypes)
                return;
            traffic = _types.GetOrAdd(type, static _ => new TrafficCount());
        }

        traffic.Add(isSent, message.Length);
    }
}
