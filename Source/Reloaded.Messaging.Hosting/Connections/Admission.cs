using System.Diagnostics;

namespace Reloaded.Messaging.Hosting;

/// <summary>Counts the connections of a server, in total and per address, and decides which connections it keeps.</summary>
/// <remarks>
/// Unauthenticated connections have separate limits, so that silent connections do not use the places of peers. When such a limit is reached, the oldest
/// unauthenticated connection is disconnected. An honest handshake takes milliseconds, so it is not the oldest. A login may take longer, because the program
/// checks the credentials. A connection that has sent its credentials is therefore disconnected only if all have sent them. At the total limit, the
/// connection is chosen from the address that has the most. Connections of this machine have no limits per address, because all programs of the machine
/// would share them. Thread-safe.
/// </remarks>
internal sealed class Admission(HostLimits limits)
{
    private readonly object _gate = new();
    private readonly LinkedList<(Connection Connection, string? Address)> _unauthenticated = new(); // in the order of their arrival, oldest first
    private readonly Dictionary<Connection, LinkedListNode<(Connection Connection, string? Address)>> _places = [];
    private readonly Dictionary<Connection, string?> _peers = [];
    private readonly Dictionary<string, (int Unauthenticated, int Peers)> _addresses = new(StringComparer.Ordinal); // the empty string is this machine

    /// <summary>Returns why no connection from an address can currently become a peer, or <see langword="null"/> if one can.</summary>
    public DisconnectReason? FindRefusal(string? address)
    {
        lock (_gate)
            return FindRefusalLocked(address);
    }

    /// <summary>Adds an unauthenticated connection.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="address">The address group of the connection, or <see langword="null"/> for this machine.</param>
    /// <param name="reason">The limit that was reached, if a limit was reached.</param>
    /// <returns>The connection that the caller must disconnect, or <see langword="null"/> if no limit was reached.</returns>
    public Connection? Enter(Connection connection, string? address, out DisconnectReason reason)
    {
        lock (_gate)
        {
            var evicted = FindEvicted(address, out reason);
            if (evicted is not null)
                RemoveUnauthenticated(evicted);
            _places[connection] = _unauthenticated.AddLast((connection, address));
            Count(address, 1, 0);
            return evicted;
        }
    }

    /// <summary>Makes an unauthenticated connection a peer.</summary>
    /// <returns>The reason why the connection cannot become a peer, or <see langword="null"/> if it is a peer now.</returns>
    public DisconnectReason? TryAdmit(Connection connection)
    {
        lock (_gate)
        {
            if (!_places.TryGetValue(connection, out var place))
                return connection.EndReason ?? DisconnectReason.TooManyUnauthenticated; // it was disconnected meanwhile
            var address = place.Value.Address;
            if (FindRefusalLocked(address) is { } reason)
                return reason;
            RemoveUnauthenticated(connection);
            _peers[connection] = address;
            Count(address, 0, 1);
            return null;
        }
    }

    /// <summary>Removes a connection that has ended. May be called more than once.</summary>
    public void Leave(Connection connection)
    {
        lock (_gate)
        {
            RemoveUnauthenticated(connection);
            if (_peers.Remove(connection, out var address))
                Count(address, 0, -1);
        }
    }

    private DisconnectReason? FindRefusalLocked(string? address)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        if (_peers.Count >= limits.MaxPeers)
            return DisconnectReason.TooManyPeers;
        return address is not null && CountOf(address).Peers >= limits.MaxPeersPerAddress
            ? DisconnectReason.TooManyPeersFromAddress
            : null;
    }

    private Connection? FindEvicted(string? address, out DisconnectReason reason)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        reason = DisconnectReason.TooManyUnauthenticatedFromAddress;
        if (address is not null && CountOf(address).Unauthenticated >= limits.MaxUnauthenticatedPerAddress)
            return FindOldest(address);

        reason = DisconnectReason.TooManyUnauthenticated;
        return _places.Count >= limits.MaxUnauthenticated ? FindOldest(null) : null;
    }

    /// <summary>Returns the oldest connection that has not sent its credentials, or the oldest connection if all have sent them.</summary>
    /// <param name="address">The address to search, or <see langword="null"/> to search all addresses and prefer the address that has the most connections.</param>
    private Connection? FindOldest(string? address)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        Connection? oldest = null;
        var best = -1L;
        foreach (var (connection, other) in _unauthenticated)
        {
            if (address is not null && other != address)
                continue;
            var isLoggingIn = connection.Login.HasCredentials;
            var rank = CountOf(other).Unauthenticated + (isLoggingIn ? 0 : 1L << 32);
            if (rank > best)
                (oldest, best) = (connection, rank);
        }

        return oldest;
    }

    private void RemoveUnauthenticated(Connection connection)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        if (!_places.Remove(connection, out var place))
            return;
        _unauthenticated.Remove(place);
        Count(place.Value.Address, -1, 0);
    }

    private void Count(string? address, int unauthenticated, int peers)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        var counts = CountOf(address);
        counts = (counts.Unauthenticated + unauthenticated, counts.Peers + peers);
        if (counts == default)
            _addresses.Remove(address ?? "");
        else
            _addresses[address ?? ""] = counts;
    }

    private (int Unauthenticated, int Peers) CountOf(string? address) => _addresses.GetValueOrDefault(address ?? "");
}
