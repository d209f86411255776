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
        var all = now.Types.Select(type => (Type: type, Rate: Divide(Count(type), Count(types.GetValueOrDefault(type.Type) ?? new InspectedType())))).ToLookup(static one => IsInspection(one.Type));
        Types = [.. all[false].OrderByDescending(static one => one.Rate.Messages)];
        Inspections = Sum(all[true].Select(static one => one.Rate));
        var sum = Sum(Peers.Select(static one => one.Rate));
        Total = new TrafficRate(
            Math.Max(0, sum.Received - Inspections.Received),
            Math.Max(0, sum.ReceivedBytes - Inspections.ReceivedBytes),
            Math.Max(0, sum.Sent - Inspections.Sent),
            Math.Max(0, sum.SentBytes - Inspections.SentBytes));
    }

    /// <summary>The later inspection.</summary>
    public HostInspection Now { get; }

    public IReadOnlyList<(InspectedPeer Peer, TrafficRate Rate)> Peers { get; }

    /// <summary>The types without those of inspections, the busiest first.</summary>
    public IReadOnlyList<(InspectedType Type, TrafficRate Rate)> Types { get; }

    /// <summary>The rate of all inspections.</summary>
    public TrafficRate Inspections { get; }

    /// <summary>The rate of all shown peers, without inspections.</summary>
    public TrafficRate Total { get; }

    private static bool IsInspection(InspectedType type) => type.Type is LibraryTypes.InspectHost or LibraryTypes.HostInspection;

    private static TrafficRate Sum(IEnumerable<TrafficRate> rates) => rates.Aggregate(default(TrafficRate), static (sum, one) => sum.Add(one));

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
    /// <summary>The messages in both directions.</summary>
    public double Messages => Received + Sent;

    /// <summary>The bytes in both directions.</summary>
    public double Bytes => ReceivedBytes + SentBytes;

    public TrafficRate Add(TrafficRate other) => new(Received + other.Received, ReceivedBytes + other.ReceivedBytes, Sent + other.Sent, SentBytes + other.SentBytes);
}
