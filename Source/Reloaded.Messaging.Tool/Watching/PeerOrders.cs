using System.Linq;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tool;

/// <summary>Sorts peers.</summary>
internal static class PeerOrders
{
    public const int Count = (int)PeerOrder.Id + 1;

    /// <summary>Returns the peers in an order. Peers with the same value are in the order of their ids, so a row does not move without a reason.</summary>
    public static List<(InspectedPeer Peer, TrafficRate Rate)> Sort(this PeerOrder order, WatchedRates rates)
    {
        var peers = rates.Peers.OrderBy(static one => one.Peer.IsInspector);
        return [.. (order switch
        {
            PeerOrder.Messages => peers.ThenByDescending(static one => one.Rate.Messages),
            PeerOrder.Bytes => peers.ThenByDescending(static one => one.Rate.Bytes),
            PeerOrder.RoundTrip => peers.ThenByDescending(static one => one.Peer.RoundTripTime),
            PeerOrder.Pending => peers.ThenByDescending(static one => one.Peer.PendingBytes),
            PeerOrder.Loss => peers.ThenByDescending(static one => one.Peer.ReceivedLossShare + one.Peer.SentLossShare),
            PeerOrder.Name => peers.ThenBy(static one => one.Peer.Name, StringComparer.OrdinalIgnoreCase),
            _ => peers,
        }).ThenBy(static one => one.Peer.Id)];
    }

    /// <summary>Describes an order.</summary>
    public static string Describe(this PeerOrder order) => order switch
    {
        PeerOrder.Messages => "messages/s",
        PeerOrder.Bytes => "bytes/s",
        PeerOrder.RoundTrip => "round trip",
        PeerOrder.Pending => "pending",
        PeerOrder.Loss => "loss",
        PeerOrder.Name => "name",
        _ => "id",
    };
}
