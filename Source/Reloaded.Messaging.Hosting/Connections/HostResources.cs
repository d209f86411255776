using System.Collections.Concurrent;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>The objects that all connections of a host share. Thread-safe.</summary>
internal sealed class HostResources
{
    private readonly ConcurrentDictionary<uint, bool> _secretTypes = new(concurrencyLevel: 1, capacity: 1);
    private readonly ConcurrentDictionary<Connection, bool> _connections = new(concurrencyLevel: 1, capacity: 1);
    private volatile bool _handlesSecrets;
    private Peer? _watched;

    public HostResources(MessageHostOptions options, SentObserver observer)
    {
        Options = options;
        Observer = observer;
        Writer = new MessageWriter(options.MessageLimits);
        PendingTotal = new PendingTotal(options.Limits.MaxTotalPendingBytes);
    }

    public readonly MessageHostOptions Options;

    public readonly MessageWriter Writer;

    /// <summary>The total memory of all outboxes.</summary>
    public readonly PendingTotal PendingTotal;

    /// <summary>The clock that measures the silence of remote sides.</summary>
    public readonly ResponsiveClock Clock = new();

    /// <summary>The first of the peers that the next tick checks in any case; <see cref="Peer.NextWatched"/> leads to the others.</summary>
    /// <remarks>A list through the peers, because the ConcurrentQueue of Mono allocates a segment for each 32 entries.</remarks>
    public Peer? Watched => Volatile.Read(ref _watched);

    /// <summary>The counters of all connections.</summary>
    public readonly Counters<HostCounter> Counters = new();

    /// <summary>The messages to all peers that were not sent, by status.</summary>
    public readonly Counters<SendStatus> Sends = new();

    /// <summary>The requests that ended without a reply, by status.</summary>
    public readonly Counters<RequestStatus> Requests = new();

    /// <summary>The connections that ended after they were open.</summary>
    public readonly Counters<DisconnectReason> Disconnects = new();

    /// <summary>The connections that ended before they were open.</summary>
    public readonly Counters<DisconnectReason> Refusals = new();

    /// <summary>Whether a message of a secret contract may have been received.</summary>
    public bool HandlesSecrets => _handlesSecrets;

    /// <summary>The delivery of messages over channels that support more than one kind of delivery.</summary>
    public readonly EventDeliveries Deliveries = new();

    /// <summary>Observes the messages that are sent.</summary>
    public readonly SentObserver Observer;

    /// <summary>Has a peer checked at the next tick, and at later ticks while it has corked messages, requests, or no ping.</summary>
    public void Watch(Peer peer)
    {
        if (Volatile.Read(ref peer.IsWatched) != 0 || Interlocked.Exchange(ref peer.IsWatched, 1) != 0)
            return;
        Peer? next;
        do
            peer.NextWatched = next = Watched;
        while (Interlocked.CompareExchange(ref _watched, peer, next) != next); // not the field of the peer, which a tick may have cleared
    }

    /// <summary>Takes all watched peers. They are watched until <see cref="Peer.IsWatched"/> is cleared.</summary>
    /// <returns>The first peer, or <c>null</c>.</returns>
    public Peer? TakeWatched() => Interlocked.Exchange(ref _watched, null);

    /// <summary>Adds a connection, until its channel is freed.</summary>
    public void Add(Connection connection) => _connections[connection] = true;

    public void Remove(Connection connection) => _connections.TryRemove(connection, out _);

    /// <summary>Completes when the channels of all connections that exist now are freed.</summary>
    public Task WaitUntilFreedAsync()
    {
        var freed = new List<Task>();
        foreach (var (connection, _) in _connections)
            freed.Add(connection.Freed);
        return Task.WhenAll(freed);
    }

    /// <summary>Whether the payload of a message belongs to a secret contract of this host.</summary>
    public bool IsSecret(in MessageHeader header) => _handlesSecrets && header.Kind != MessageKind.Control && _secretTypes.ContainsKey(header.Type);

    /// <summary>Enables the zeroing of received bytes if the contract is secret.</summary>
    public void NoteSecret(MessageContract contract)
    {
        if (!contract.IsSecret || _secretTypes.ContainsKey(contract.Type))
            return;
        _secretTypes[contract.Type] = true;
        _handlesSecrets = true;
    }
}
