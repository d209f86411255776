namespace Reloaded.Messaging.Hosting;

/// <summary>The accounts and addresses that a server refuses for a time. Thread-safe.</summary>
/// <remarks>
/// The list is in memory. To keep bans when the program ends, store them, and add them in the callback of <see cref="MessageHost.ListenAsync"/>.
/// The list has at most 10,000 bans. A further one replaces the ban that ends first.
/// </remarks>
public sealed class BanList
{
    /// <summary>The maximum number of bans.</summary>
    internal const int Capacity = 10_000;

    private readonly MessageServer _server;
    private readonly Dictionary<string, Ban> _bans = new(StringComparer.Ordinal); // also serves as the lock

    internal BanList(MessageServer server) => _server = server;

    /// <summary>Refuses an account or an address for a time, and disconnects its peers with <see cref="DisconnectReason.Banned"/>. Replaces an earlier ban of the name.</summary>
    /// <param name="name">A <see cref="Peer.Account"/> or a <see cref="Peer.RemoteIdentity"/>.</param>
    /// <param name="duration">The duration; <see cref="TimeSpan.MaxValue"/> for no end.</param>
    /// <param name="reason">The text for the refused client, at most 1,024 bytes of UTF-8; <see langword="null"/> for a text with the end of the ban.</param>
    /// <returns>The ban.</returns>
    /// <exception cref="ArgumentException">Thrown when the name is empty, or when the text is longer.</exception>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the duration is zero or negative.</exception>
    public Ban Add(string name, TimeSpan duration, string? reason = null)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        Guard.Positive(duration, nameof(duration));
        Goodbye.ThrowIfTooLong(reason);
        var now = _server.Options.TimeProvider.GetUtcNow();
        var ban = new Ban(name, duration < DateTimeOffset.MaxValue - now ? now + duration : DateTimeOffset.MaxValue, reason);
        lock (_bans)
        {
            if (_bans.Count >= Capacity && !_bans.ContainsKey(name))
                RemoveFirstLocked();
            _bans[name] = ban;
        }

        foreach (var peer in _server.Registry.GetAll())
        {
            if (peer.Account == name || peer.RemoteIdentity == name)
                peer.Connection.CloseInBackground(DisconnectReason.Banned, ban.Text);
        }

        return ban;
    }

    /// <summary>Lifts a ban.</summary>
    /// <param name="name">The account or address.</param>
    /// <returns><see langword="true"/> if the name was banned; otherwise, <see langword="false"/>.</returns>
    public bool Remove(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return Find(name) is { } ban && Remove(ban);
    }

    /// <summary>Returns the ban of an account or address, or <see langword="null"/> if it is not banned.</summary>
    /// <param name="name">The account or address; <see langword="null"/> is never banned.</param>
    public Ban? Find(string? name)
    {
        if (name is null)
            return null;
        Ban? ban;
        lock (_bans)
            _bans.TryGetValue(name, out ban);
        if (ban is null || ban.EndsAt > _server.Options.TimeProvider.GetUtcNow()) // outside of the lock, because the clock may be code of the program
            return ban;
        Remove(ban);
        return null;
    }

    /// <summary>Returns the bans that have not ended.</summary>
    public IReadOnlyList<Ban> GetAll()
    {
        var now = _server.Options.TimeProvider.GetUtcNow();
        var all = new List<Ban>();
        lock (_bans)
        {
            foreach (var ban in _bans.Values)
            {
                if (ban.EndsAt > now)
                    all.Add(ban);
            }
        }

        return all;
    }

    /// <summary>Returns the ban that refuses a peer, by its account or its address, or <c>null</c>.</summary>
    internal Ban? Find(Peer peer) => Find(peer.Account) ?? Find(peer.RemoteIdentity);

    private bool Remove(Ban ban)
    {
        lock (_bans)
            return _bans.TryGetValue(ban.Name, out var found) && found == ban && _bans.Remove(ban.Name);
    }

    private void RemoveFirstLocked()
    {
        Ban? first = null;
        foreach (var ban in _bans.Values)
        {
            if (first is null || ban.EndsAt < first.EndsAt)
                first = ban;
        }

        _bans.Remove(first!.Name);
    }
}
