using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting;

/// <summary>Peers that are sent the same: a room, a team, those who watch a place. A peer that disconnects leaves by itself.</summary>
/// <remarks>
/// Thread-safe. A broadcast goes to who is in the group when it begins, packs once and allocates nothing; it holds no lock while it sends, so peers may
/// join and leave meanwhile, from its own interest too. Only such a change copies the group's list, once.
/// </remarks>
public sealed class PeerGroup
{
    private const int SmallestShrunk = 64;

    private readonly MessageHost _host;
    private readonly object _gate = new();
    private readonly Dictionary<Peer, int> _places = [];
    private Peer[] _peers = new Peer[4];
    private int _readers;

    /// <summary>Makes an empty group.</summary>
    /// <param name="host">Whose peers it is for.</param>
    public PeerGroup(MessageHost host)
    {
        ArgumentNullException.ThrowIfNull(host);
        _host = host;
    }

    /// <summary>The peers in it now.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
                return _places.Count;
        }
    }

    /// <summary>Takes a peer in.</summary>
    /// <returns>False if it is in the group already, or gone.</returns>
    /// <exception cref="ArgumentException">It is another host's.</exception>
    public bool Join(Peer peer)
    {
        ArgumentNullException.ThrowIfNull(peer);
        if (peer.Host != _host)
            throw new ArgumentException($"{peer} is another host's peer, and a group is for those of one host. Make a group for each.", nameof(peer));
        return peer.Groups.Join(this);
    }

    /// <summary>Lets a peer go.</summary>
    /// <returns>False if it is not in the group.</returns>
    public bool Leave(Peer peer)
    {
        ArgumentNullException.ThrowIfNull(peer);
        return peer.Groups.Leave(this);
    }

    /// <summary>Whether a peer is in it now.</summary>
    public bool Contains(Peer peer)
    {
        lock (_gate)
            return _places.ContainsKey(peer);
    }

    /// <summary>Sends an event to all of them, by its type's declared contract.</summary>
    /// <inheritdoc cref="Broadcast{T, TInterest}(MessageContract{T}, in T, ref TInterest)"/>
    public int Broadcast<T>(in T message) => Broadcast(MessageContract.GetDeclared<T>(), in message);

    /// <summary>Sends an event to all of them.</summary>
    /// <inheritdoc cref="Broadcast{T, TInterest}(MessageContract{T}, in T, ref TInterest)"/>
    public int Broadcast<T>(MessageContract<T> contract, in T message)
    {
        var everyone = default(AcceptAllPeers);
        return Broadcast(contract, in message, ref everyone);
    }

    /// <summary>Sends an event to those it is for, by its type's declared contract.</summary>
    /// <inheritdoc cref="Broadcast{T, TInterest}(MessageContract{T}, in T, ref TInterest)"/>
    public int Broadcast<T, TInterest>(in T message, ref TInterest interest)
        where TInterest : IPeerInterest => Broadcast(MessageContract.GetDeclared<T>(), in message, ref interest);

    /// <summary>Sends an event to those it is for: packed once.</summary>
    /// <param name="contract">What the message is on the wire.</param>
    /// <param name="message">The message.</param>
    /// <param name="interest">Who gets it, by reference.</param>
    /// <returns>To how many it was sent. Those whose outbox was full, or who left meanwhile by disconnecting, did not get it, nor those that take no messages of its size or know its type by another contract.</returns>
    /// <exception cref="MessageTooLargeException">It exceeds a limit.</exception>
    public int Broadcast<T, TInterest>(MessageContract<T> contract, in T message, ref TInterest interest)
        where TInterest : IPeerInterest
    {
        ArgumentNullException.ThrowIfNull(contract);
        using var packed = _host.Resources.Writer.Pack(contract, in message);
        var sent = 0;
        foreach (var peer in this)
        {
            if (interest.Includes(peer) && peer.TrySend(contract, packed))
                sent++;
        }

        return sent;
    }

    /// <summary>Sends a message that is packed already to those it is for. It stays the caller's to dispose.</summary>
    /// <inheritdoc cref="Broadcast{T, TInterest}(MessageContract{T}, in T, ref TInterest)"/>
    public int BroadcastPacked<TInterest>(PackedMessage message, ref TInterest interest, bool isSecret = false)
        where TInterest : IPeerInterest
    {
        var sent = 0;
        foreach (var peer in this)
        {
            if (interest.Includes(peer) && peer.TrySend(null, message, isSecret))
                sent++;
        }

        return sent;
    }

    /// <summary>Goes through who is in the group now, without allocating. Whoever leaves early has to dispose the enumerator, as <c>foreach</c> does.</summary>
    public Enumerator GetEnumerator() => new(this);

    internal bool Add(Peer peer)
    {
        lock (_gate)
        {
            if (!_places.TryAdd(peer, _places.Count))
                return false;
            var count = _places.Count;
            if (count > _peers.Length)
                Copy(2 * _peers.Length); // who reads sees none that come behind what was there, so that otherwise nothing is copied
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

            // The last one takes its place: nobody is promised an order.
            if (place != last)
            {
                _peers[place] = _peers[last];
                _places[_peers[place]] = place;
            }

            _peers[last] = null!;
            return true;
        }
    }

    /// <summary>Leaves the list that is being read to those who read it.</summary>
    private void Copy(int capacity)
    {
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

    /// <summary>Goes through the peers of a group.</summary>
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

        /// <summary>The peer.</summary>
        public readonly Peer Current => _peers![_next - 1];

        /// <summary>Moves to the next peer.</summary>
        public bool MoveNext() => _peers is not null && _next++ < _count;

        /// <summary>Ends it.</summary>
        public void Dispose()
        {
            if (_peers is { } read)
                _group.EndRead(read);
            _peers = null;
        }
    }
}
