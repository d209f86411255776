using System.Linq;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Simulation.Laws;

/// <summary>What the programs of a world sent, handled and were told. Each entry is checked against the laws at once.</summary>
internal sealed class Ledger
{
    private readonly Dictionary<(int Sender, int Receiver), Direction> _directions = [];
    private readonly Dictionary<Peer, int> _lastByPeer = [];
    private readonly Dictionary<Peer, PeerState> _peers = [];

    private enum PeerState
    {
        Connected,
        Ended,
    }

    /// <summary>The directions in which events were sent.</summary>
    public IEnumerable<Direction> Directions => _directions.Values;

    /// <summary>Records an event before it is sent.</summary>
    /// <returns>The number of the event.</returns>
    public int Begin(int sender, int receiver)
    {
        var direction = Of(sender, receiver);
        direction.Handled.Add(0);
        return direction.Handled.Count - 1;
    }

    /// <summary>Records the status of an event.</summary>
    public void NoteSent(int sender, int receiver, SendStatus status)
    {
        if (status == SendStatus.Sent)
            Of(sender, receiver).Sent++;
    }

    /// <summary>Records that an event is being handled.</summary>
    /// <param name="from">The peer, on the side that handles.</param>
    /// <param name="sender">The number of the sender.</param>
    /// <param name="receiver">The number of the receiver.</param>
    /// <param name="number">The number of the event.</param>
    /// <param name="isPumped">Whether a pump handles it, which also handles what a peer sent before its end.</param>
    public void NoteHandled(Peer from, int sender, int receiver, int number, bool isPumped)
    {
        var direction = Of(sender, receiver);
        Law.Require(number < direction.Handled.Count, LawNames.OnlySent, $"{receiver} handles event {number} of {sender}, which has sent {direction.Handled.Count}.");
        direction.Handled[number]++;
        Law.Require(direction.Handled[number] == 1, LawNames.Once, $"{receiver} handles event {number} of {sender} again.");
        direction.Count++;
        CheckAlive(from, "an event", isPumped);
        if (_lastByPeer.TryGetValue(from, out var last))
            Law.Require(number > last, LawNames.Order, $"{receiver} handles event {number} of {sender} after event {last}.");
        _lastByPeer[from] = number;
    }

    /// <summary>Records that a handler of a request begins.</summary>
    public void NoteRequest(Peer from, bool isPumped) => CheckAlive(from, "a request", isPumped);

    /// <summary>Records <see cref="MessageHost.PeerConnected"/>.</summary>
    public void NoteConnected(Peer peer) =>
        Law.Require(_peers.TryAdd(peer, PeerState.Connected), LawNames.PeerLife, $"{peer} is connected again.");

    /// <summary>Records <see cref="MessageHost.PeerDisconnected"/>.</summary>
    public void NoteEnded(Peer peer)
    {
        Law.Require(_peers.GetValueOrDefault(peer, PeerState.Ended) == PeerState.Connected, LawNames.PeerLife, $"{peer} ends, and was not connected.");
        _peers[peer] = PeerState.Ended;
    }

    /// <summary>The number of peers that have not ended, of all hosts.</summary>
    public int CountPeers() => _peers.Values.Count(static state => state == PeerState.Connected);

    private void CheckAlive(Peer from, string what, bool isPumped) =>
        Law.Require(isPumped || !_peers.TryGetValue(from, out var state) || state == PeerState.Connected, LawNames.NothingAfterEnd, $"{what} of {from} is handled after its PeerDisconnected.");

    private Direction Of(int sender, int receiver)
    {
        if (!_directions.TryGetValue((sender, receiver), out var direction))
            _directions.Add((sender, receiver), direction = new Direction(sender, receiver));
        return direction;
    }

    /// <summary>The events from one program to another.</summary>
    public sealed class Direction(int sender, int receiver)
    {
        public int Sender { get; } = sender;

        public int Receiver { get; } = receiver;

        /// <summary>How often each event was handled, by its number.</summary>
        public List<int> Handled { get; } = [];

        /// <summary>The number of events with <see cref="SendStatus.Sent"/>.</summary>
        public int Sent { get; set; }

        /// <summary>The number of handled events.</summary>
        public int Count { get; set; }
    }
}
