using System;
using System.Collections.Generic;
using System.Linq;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tool;

/// <summary>Two inspections of a host, and the rates between them.</summary>
internal sealed class WatchedRates
{
    private readonly double _seconds;

    public WatchedRates(HostInspection before, HostInspection now)
    {
        Now = now;
        _seconds = (now.CountedFor - before.CountedFor).TotalSeconds;
        var peers = before.Peers.GroupBy(static peer => peer.Id).ToDictionary(static group => group.Key, static group => group.First());
        var types = before.Types.GroupBy(static type => type.Type).ToDictionary(static group => group.Key, static group => group.First());
        Peers = [.. now.Peers.Select(peer => (peer, Divide(Count(peer), Count(peers.GetValueOrDefault(peer.Id) ?? new InspectedPeer()))))];
        Types = [.. now.Types.Select(type => (type, Divide(Count(type), Count(types.GetValueOrDefault(type.Type) ?? new InspectedType()))))];
    }

    /// <summary>The later inspection.</summary>
    public HostInspection Now { get; }

    public IReadOnlyList<(InspectedPeer Peer, TrafficRate Rate)> Peers { get; }

    public IReadOnlyList<(InspectedType Type, TrafficRate Rate)> Types { get; }

    /// <summary>The rate of all shown peers.</summary>
    public TrafficRate Total => Peers.Aggregate(default(TrafficRate), static (sum, one) => sum.Add(one.Rate));

    private static TrafficRate Count(InspectedPeer peer) => new(peer.Received, peer.ReceivedBytes, peer.Sent, peer.SentBytes);

    private static TrafficRate Count(InspectedType type) => new(type.Received, type.ReceivedBytes, type.Sent, type.SentBytes);

    private TrafficRate Divide(TrafficRate now, TrafficRate before) => new(
        Math.Max(0, now.Received - before.Received) / _seconds,
        Math.Max(0, now.ReceivedBytes - before.ReceivedBytes) / _seconds,
        Math.Max(0, now.Sent - before.Sent) / _seconds,
        Math.Max(0, now.SentBytes - before.SentBytes) / _seconds);
}

/// <summary>Messages and bytes in two directions: counts, or rates per second.</summary>
internal readonly record struct TrafficRate(double Received, double ReceivedBytes, double Sent, double SentBytes)
{
    public TrafficRate Add(TrafficRate other) => new(Received + other.Received, ReceivedBytes + other.ReceivedBytes, Sent + other.Sent, SentBytes + other.SentBytes);
}
