using System.Linq;

namespace Reloaded.Messaging.Tool;

/// <summary>The rates of a host and of its peers at the last displays.</summary>
internal sealed class RateHistory
{
    /// <summary>The number of displays that are kept.</summary>
    public const int Length = 100;

    private readonly Queue<double> _received = [], _sent = [];
    private Dictionary<long, Queue<double>> _peers = [];

    /// <summary>The received messages per second of each display, the oldest first.</summary>
    public IReadOnlyCollection<double> Received => _received;

    /// <summary>The sent messages per second of each display, the oldest first.</summary>
    public IReadOnlyCollection<double> Sent => _sent;

    /// <summary>Adds the rates of a display. A peer that has left is forgotten.</summary>
    public void Add(WatchedRates rates)
    {
        Append(_received, rates.Total.Received);
        Append(_sent, rates.Total.Sent);
        var peers = new Dictionary<long, Queue<double>>();
        foreach (var (peer, rate) in rates.Peers)
            peers[peer.Id] = Append(_peers.GetValueOrDefault(peer.Id) ?? [], rate.Messages);
        _peers = peers;
    }

    /// <summary>The messages per second of a peer in both directions at each display, the oldest first.</summary>
    public IReadOnlyCollection<double> OfPeer(long id) => _peers.GetValueOrDefault(id) ?? [];

    private static Queue<double> Append(Queue<double> rates, double rate)
    {
        rates.Enqueue(rate);
        while (rates.Count > Length)
            rates.Dequeue();
        return rates;
    }
}
