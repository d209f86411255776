using System.Diagnostics;

namespace Reloaded.Messaging.Hosting;

/// <summary>A set of peers that receive the same broadcasts, such as a room or a team. A peer that disconnects is removed automatically.</summary>
/// <remarks>
/// Thread-safe. A broadcast reaches the peers that are in the group when it begins. It packs the message once, allocates nothing and holds no lock while it sends.
/// Peers may be added and removed meanwhile, also by <see cref="IPeerInterest"/>. Only such a change copies the list of the group, once.
/// </remarks>
public sealed class PeerGroup
{
    private const int SmallestShrunk = 64;

    private readonly MessageHost _host;
    private readonly object _gate = new();
    private readonly Dictionary<Peer, int> _places = [];
    private Peer[] _peers = new Peer[4];
    private int _readers;

    /// <summary>Creates an empty group.</summary>
    /// <param name="host">The host of the peers.</param>
    public PeerGroup(MessageHost host)
    {
        ArgumentNullException.ThrowIfNull(host);
        _host = host;
    }

    /// <summary>The current number of peers.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
                return _places.Count;
        }
    }

    /// <summary>Adds a peer.</summary>
    /// <returns><see langword="true"/> if the peer was added; <see langword="false"/> if it is already in the group or has disconnected.</returns>
    /// <exception cref="ArgumentException">Thrown when the peer belongs to another host.</exception>
    public bool Join(Peer peer)
    {
        ArgumentNullException.ThrowIfNull(peer);
        if (peer.Host != _host)
            throw new ArgumentException($"{peer} belongs to another host; a group contains peers of one host. Create one group for each host.", nameof(peer));
        return peer.Groups.Join(this);
    }

    /// <summary>Removes a peer.</summary>
    /// <returns><see langword="true"/> if the peer was removed; <see langword="false"/> if it is not in the group.</returns>
    public bool Leave(Peer peer)
    {
        ArgumentNullException.ThrowIfNull(peer);
        return peer.Groups.Leave(this);
    }

    /// <summary>Returns whether a peer is in the group.</summary>
    public bool Contains(Peer peer)
    {
        ArgumentNullException.ThrowIfNull(peer);
        lock (_gate)
            return _places.ContainsKey(peer);
    }

    /// <summary>Sends an event to all peers of the group, by its type's declared contract.</summary>
    /// <inheritdoc cref="Broadcast{T, TInterest}(MessageContract{T}, in T, ref TInterest)"/>
    public int Broadcast<T>(in T message) => Broadcast(MessageContract.GetDeclared<T>(), in message);

    /// <summary>Sends an event to all peers of the group.</summary>
    /// <inheritdoc cref="Broadcast{T, TInterest}(MessageContract{T}, in T, ref TInterest)"/>
    public int Broadcast<T>(MessageContract<T> contract, in T message)
    {
        var everyone = default(AcceptAllPeers);
        return Broadcast(contract, in message, ref everyone);
    }

    /// <summary>Sends an event to the selected peers of the group, by its type's declared contract.</summary>
    /// <inheritdoc cref="Broadcast{T, TInterest}(MessageContract{T}, in T, ref TInterest)"/>
    public int Broadcast<T, TInterest>(in T message, ref TInterest interest)
        where TInterest : IPeerInterest => Broadcast(MessageContract.GetDeclared<T>(), in message, ref interest);

    /// <summary>Sends an event to the selected peers of the group. The message is packed once.</summary>
    /// <param name="contract">The contract of the message.</param>
    /// <param name="message">The message.</param>
    /// <param name="interest">Selects the peers. Passed by reference.</param>
    /// <returns>The number of peers to which the message was sent. A peer does not receive it if its outbox is full, if it disconnected meanwhile, if it does not accept the size, or if its contract of the type differs.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of this host.</exception>
    public int Broadcast<T, TInterest>(MessageContract<T> contract, in T message, ref TInterest interest)
        where TInterest : IPeerInterest
    {
        ArgumentNullException.ThrowIfNull(contract);
        using var packed = _host.Resources.Writer.Pack(contract, in message);
        return SendToAll(contract, packed, ref interest);
    }

    /// <summary>Enumerates the current peers of the group without allocating. Dispose the enumerator, as <c>foreach</c> does.</summary>
    public Enumerator GetEnumerator() => new(this);

    internal bool Add(Peer peer)
    {
        lock (_gate)
        {
            if (!_places.TryAdd(peer, _places.Count))
                return false;
            var count = _places.Count;
            if (count > _peers.Length)
                Copy(2 * _peers.Length); // readers do not see entries after the end of their list, so the array is only copied when it is full
            _peers[count - 1] = peer;
            return true;
        }
    }

    internal bool Remove(Peer peer)
    {
        lock (_gate)
        {
            if (!_places.Remove(peer, out var place))
                return false;
            var last = _places.Count;
            var isLarge = _peers.Length > SmallestShrunk && last < _peers.Length / 4;
            if (isLarge || _readers > 0)
                Copy(isLarge ? _peers.Length / 2 : _peers.Length);

            // The last peer moves to the free place. The order of the peers is not defined.
            if (place != last)
            {
                _peers[place] = _peers[last];
                _places[_peers[place]] = place;
            }

            _peers[last] = null!;
            return true;
        }
    }

    private int SendToAll<TInterest>(MessageContract contract, PackedMessage packed, ref TInterest interest)
        where TInterest : IPeerInterest
    {
        var operation = SendTrace.TryStart(_host, contract);
        var sent = 0;
        var chain = default(FlushChain);
        try
        {
            foreach (var peer in this)
            {
                if (interest.Includes(peer) && peer.TrySend(contract, packed, operation, ref chain))
                    sent++;
            }
        }
        finally
        {
            chain.Start();
            operation?.End(null);
        }

        return sent;
    }

    /// <summary>Replaces a list that is being read by a copy. The readers keep the old list.</summary>
    private void Copy(int capacity)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        var copy = new Peer[capacity];
        Array.Copy(_peers, copy, Math.Min(_peers.Length, capacity));
        _peers = copy;
        _readers = 0;
    }

    private Peer[] Read(out int count)
    {
        lock (_gate)
        {
            _readers++;
            count = _places.Count;
            return _peers;
        }
    }

    private void EndRead(Peer[] read)
    {
        lock (_gate)
        {
            if (read == _peers)
                _readers--;
        }
    }

    /// <summary>Enumerates the peers of a group.</summary>
    public struct Enumerator : IDisposable
    {
        private readonly PeerGroup _group;
        private readonly int _count;
        private Peer[]? _peers;
        private int _next;

        internal Enumerator(PeerGroup group)
        {
            _group = group;
            _peers = group.Read(out _count);
        }

        /// <summary>The current peer.</summary>
        public readonly Peer Current => _peers![_next - 1];

        /// <summary>Moves to the next peer.</summary>
        public bool MoveNext() => _peers is not null && _next++ < _count;

        /// <summary>Ends the enumeration.</summary>
        public void Dispose()
        {
            if (_peers is { } read)
                _group.EndRead(read);
            _peers = null;
        }
    }
}

/// <summary>Selects the peers of a group that receive a message, for example the peers that are near enough to see an event.</summary>
/// <remarks>Implement it by a struct whose fields contain the criteria. The struct is passed by reference, so a broadcast needs no closure.</remarks>
public interface IPeerInterest
{
    /// <summary>Returns whether a peer receives the message. Called once for each peer of the group, on the thread that broadcasts.</summary>
    bool Includes(Peer peer);
}

/// <summary>Accepts every peer. The JIT compiler removes the call.</summary>
internal readonly struct AcceptAllPeers : IPeerInterest
{
    public bool Includes(Peer peer) => true;
}
