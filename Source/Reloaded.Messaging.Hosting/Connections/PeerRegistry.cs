using System.Collections.Concurrent;

namespace Reloaded.Messaging.Hosting;

/// <summary>The peers of a host, and the events that were raised for them. Thread-safe.</summary>
internal sealed class PeerRegistry(MessageHost host, HostEvents events, HostResources resources)
{
    private readonly object _gate = new();
    private readonly Dictionary<long, Peer> _all = []; // guarded by the gate
    private readonly HashSet<Peer> _working = []; // the disconnected peers whose handlers still run; guarded by the gate
    private Peer[]? _snapshot; // null after a change
    private (long Sent, long Received) _endedBytes;

    /// <summary>The peers whose connection is open.</summary>
    public readonly ConcurrentDictionary<long, Peer> Connected = new(concurrencyLevel: 1, capacity: 1); // a client has one peer

    /// <summary>The same peers as a group.</summary>
    public readonly PeerGroup Group = new(host);

    /// <summary>The number of peers, including peers whose handshake is not complete.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
                return _all.Count;
        }
    }

    /// <summary>All peers at this time, including peers whose handshake is not complete. Do not change the array. Allocates only after a peer was added or removed.</summary>
    public Peer[] GetAll()
    {
        lock (_gate)
            return _snapshot ??= [.. _all.Values];
    }

    /// <summary>Whether a peer has not disconnected.</summary>
    public bool Contains(long id)
    {
        lock (_gate)
            return _all.ContainsKey(id);
    }

    /// <summary>Whether a handler of a disconnected peer runs.</summary>
    public bool HasWork
    {
        get
        {
            lock (_gate)
                return _working.Count > 0;
        }
    }

    /// <summary>Notes whether handlers of a disconnected peer run: at its end, and later when its receive loop ends, and when the first asynchronous handler starts or the last one ends.</summary>
    public void NoteWork(Peer peer)
    {
        lock (_gate)
        {
            if (peer.Connection.KeepAlive.IsHandling || Volatile.Read(ref peer.RunningHandlers) > 0)
                _working.Add(peer);
            else
                _working.Remove(peer);
        }
    }

    public Peer Add(Peer peer)
    {
        lock (_gate)
        {
            _all[peer.Id] = peer;
            _snapshot = null;
        }

        return peer;
    }

    public bool IsConnected(Peer peer) => Connected.ContainsKey(peer.Id);

    /// <summary>Runs a peer from its first byte to its end. Never throws: every failure disconnects the peer with a reason.</summary>
    public async Task<DisconnectReason?> StartAsync(Peer peer)
    {
        var connection = peer.Connection;
        DisconnectReason? refused;
        try
        {
            refused = await connection.HandshakeAsync(new Handshake(host.Options, host.IsServer, host.Token, host.Contracts.GetAnnouncement(connection, isHandshake: true))).ConfigureAwait(false);
            if (refused is null && !connection.NeedsLogin && host.TryAdmit(peer) is { } full)
            {
                await connection.CloseAsync(full, awaitsEnd: false).ConfigureAwait(false);
                refused = full;
            }

            if (refused is null)
            {
                Serve(peer);
                return null;
            }
        }
        catch (Exception e)
        {
            events.ReportFailure(peer, 0, e);
            refused = DisconnectReason.NotAPeer;
        }

        connection.End(refused.Value);
        connection.Reader.Dispose();
        return connection.EndReason;
    }

    /// <summary>Handles the messages of a peer after the handshake.</summary>
    private void Serve(Peer peer)
    {
        var connection = peer.Connection;
        connection.Reader.MaxMessageSize = host.Options.MessageLimits.MaxMessageSize;
        connection.Reader.MaxControlSize = HelloMessage.MaxSize;
        connection.Sender.CarriesTraceContext = host.CarriesTraceContext && connection.Contracts.IsAnnounced(LibraryTypes.TraceContext);
        connection.Outbox.IsSequencedReadable = connection.MayLoseMessages && connection.Contracts.IsAnnounced(LibraryTypes.SequencedEvents);
        host.NoteHandshake(peer);
        if (connection.NeedsLogin)
        {
            connection.Accept(ConnectionState.Authenticating, isServer: host.IsServer);
            connection.Login.Begin(host.Options.TimeProvider);
        }
        else
        {
            Announce(peer);
        }

        peer.StartReceiving();
    }

    /// <summary>Adds a peer to the peers that receive broadcasts.</summary>
    public void Connect(Peer peer)
    {
        Connected[peer.Id] = peer;
        peer.Groups.Join(Group, isOpen: false);
    }

    /// <summary>Registers and opens an authenticated peer, and raises <c>PeerConnected</c>. If the peer has disconnected meanwhile, it then raises <c>PeerDisconnected</c>.</summary>
    public void Announce(Peer peer)
    {
        peer.Cork(); // messages that event handlers send are written together with the end of the handshake
        try
        {
            OpenAndRaiseConnected(peer);
        }
        finally
        {
            peer.Uncork();
        }
    }

    /// <param name="peer">The peer that disconnected.</param>
    /// <param name="reason">The reason.</param>
    /// <param name="defersEvents">Whether to raise the event on the thread pool, so that an event handler that blocks does not delay the caller.</param>
    public void Forget(Peer peer, DisconnectReason reason, bool defersEvents)
    {
        var isRefused = Interlocked.CompareExchange(ref peer.Announcement, PeerAnnouncement.Ended, PeerAnnouncement.None) == PeerAnnouncement.None;
        (isRefused ? resources.Refusals : resources.Disconnects).Add(reason); // first, so that code that sees the disconnect also sees the counter
        if (!isRefused)
            NoteWork(peer); // before the peer is removed, so that a host that stops finds its handlers here or there
        RemoveCounted(peer);
        Connected.TryRemove(peer.Id, out _);
        host.NoteEnd(peer);
        peer.Groups.LeaveAll();
        resources.Counters.Add(HostCounter.LostFrames, peer.Connection.Outbox.LostFrames);
        if (isRefused)
            Raise(defersEvents, () => host.RaiseRefused(peer, reason));
        else if (Interlocked.Exchange(ref peer.Announcement, PeerAnnouncement.Ended) == PeerAnnouncement.Made)
            Raise(defersEvents, () => host.RaiseDisconnected(peer, reason));
    }

    /// <summary>Returns the number of bytes that were sent and received, including those of ended connections.</summary>
    public (long Sent, long Received) GetBytes()
    {
        lock (_gate)
        {
            var (sent, received) = _endedBytes;
            foreach (var peer in GetAll())
            {
                sent += peer.Connection.Outbox.SentBytes;
                received += peer.Connection.Reader.ReceivedBytes;
            }

            return (sent, received);
        }
    }

    /// <summary>Counts and reports the messages that were lost by the disconnect of a peer.</summary>
    /// <param name="peer">The peer, whose outbox is closed and counted.</param>
    /// <param name="lostByChannel">The number of messages that its channel accepted and whose arrival was not confirmed.</param>
    /// <param name="defersEvents">Whether to raise the event on the thread pool.</param>
    public void CountLost(Peer peer, int lostByChannel, bool defersEvents)
    {
        resources.Counters.Add(HostCounter.LostFrames, lostByChannel);
        var lost = peer.Connection.Outbox.LostFrames + lostByChannel;
        if (lost > 0 && peer.Connection.WasOpen)
            Raise(defersEvents, () => host.RaiseLost(peer, lost));
    }

    /// <summary>Disconnects the peer with the most pending bytes, so that other peers receive their replies.</summary>
    /// <param name="than">The number of bytes that the peer must exceed.</param>
    /// <returns><c>true</c> if a peer was disconnected; otherwise, <c>false</c>.</returns>
    public bool EndLargestBacklog(int than)
    {
        Peer? largest = null;
        foreach (var peer in GetAll())
        {
            if (peer.Connection.Outbox.ChargedBytes is var bytes && bytes > than)
                (largest, than) = (peer, bytes);
        }

        largest?.Connection.EndWithDeferredEvents(DisconnectReason.NotReading);
        return largest is not null;
    }

    private void RemoveCounted(Peer peer)
    {
        lock (_gate)
        {
            if (!_all.Remove(peer.Id))
                return;
            _snapshot = null;
            _endedBytes.Sent += peer.Connection.Outbox.SentBytes;
            _endedBytes.Received += peer.Connection.Reader.ReceivedBytes;
        }
    }

    private void Raise(bool isDeferred, Action raise)
    {
        if (isDeferred)
            events.RaiseLater(raise);
        else
            raise();
    }

    private void OpenAndRaiseConnected(Peer peer)
    {
        host.Contracts.Open(peer, isServer: host.IsServer);
        if (!peer.Connection.WasOpen || Interlocked.CompareExchange(ref peer.Announcement, PeerAnnouncement.Begun, PeerAnnouncement.None) != PeerAnnouncement.None)
        {
            Connected.TryRemove(peer.Id, out _); // the connection is closing or has ended, for example because the handler of the credentials kicked the peer
            peer.Groups.Leave(Group);
            return;
        }

        host.RaiseConnected(peer);
        if (Interlocked.CompareExchange(ref peer.Announcement, PeerAnnouncement.Made, PeerAnnouncement.Begun) != PeerAnnouncement.Begun)
            host.RaiseDisconnected(peer, peer.Disconnected ?? DisconnectReason.ConnectionLost);
    }
}

/// <summary>The events that were raised for a peer. The value only increases, so each event is raised at most once and in order.</summary>
/// <remarks>Integers, because <c>Interlocked</c> on netstandard2.1 does not exchange enums.</remarks>
internal static class PeerAnnouncement
{
    public const int None = 0;
    public const int Begun = 1;
    public const int Made = 2;
    public const int Ended = 3;
}
