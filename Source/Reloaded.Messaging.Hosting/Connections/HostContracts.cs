using System.Collections.Concurrent;
using System.Diagnostics;

namespace Reloaded.Messaging.Hosting;

/// <summary>The contracts that a host handles, replies with or announces. They are announced to every peer. Thread-safe.</summary>
internal sealed class HostContracts(MessageHost host)
{
    // Also the lock of this object. The references are weak, so that the contracts of an unloaded mod can be collected. Handlers and declared contracts keep them alive.
    private readonly Dictionary<uint, AnnouncedContract> _contracts = [];
    private readonly Dictionary<uint, AnnouncedContract> _collected = []; // the peers that were told a contract read messages of its id by it, also after the contract was collected
    private readonly Dictionary<uint, WeakReference<MessageContract>> _announced = [];
    private readonly ConcurrentDictionary<uint, (HandlerRegistration Registration, MessageContract Reply)> _answered = new(concurrencyLevel: 1, capacity: 1);
    private (int Version, bool MayLoseMessages, byte[] Bytes, ContractLayouts Layouts)? _announcement; // the last one, without references to the contracts
    private AnnouncedContracts? _lastRead;
    private int _version; // the number of the last change; an announcement has one contract, and the removal of collected contracts is a change
    private int _firstVersion = int.MaxValue; // when the first connection announced the contracts
    private int _announcementOfHandler; // of the handler that is being registered

    /// <summary>How often all replies were searched for an id. A search takes as long as there are handlers of requests, so registering must not need it.</summary>
    internal int ReplySearches { get; private set; }

    /// <summary>Announces the contract of a message that the host only sends.</summary>
    public void Announce(MessageContract contract)
    {
        Prepare(contract);
        lock (_contracts)
        {
            ThrowIfTaken(contract);
            _announced[contract.Type] = new WeakReference<MessageContract>(contract);
            var before = _version;
            Track(contract);
            AskPeersSince(before);
        }
    }

    /// <summary>Registers a handler, and announces its contracts to the peers. The contracts of a rejected handler are not announced.</summary>
    /// <param name="contract">The contract of the events or requests.</param>
    /// <param name="reply">The contract of the replies; <c>null</c> for events.</param>
    /// <param name="register">Registers the handler.</param>
    public HandlerRegistration Register(MessageContract contract, MessageContract? reply, Func<HandlerRegistration> register)
    {
        Prepare(contract);
        if (reply is not null)
            Prepare(reply);
        lock (_contracts)
        {
            ThrowIfTaken(contract);
            if (reply is not null)
                ThrowIfTaken(reply, beside: contract);
            if (host.Dispatcher.HasHandler(contract.Type, out _))
                return register(); // throws
            var before = _version;
            _announcementOfHandler = Track(contract);
            if (reply is not null)
                Track(reply); // before the first reply
            var registration = register();
            AskPeersSince(before); // after the registration: the handler gets what follows the answer
            return reply is null ? registration : NoteAnswering(contract.Type, registration, reply);
        }
    }

    /// <summary>Returns the number of the announcement of a handler that is being registered, if peers have read announcements before it; otherwise, <c>null</c>.</summary>
    /// <remarks>The layouts of the library's messages do not change.</remarks>
    public int? FindLateAnnouncement(uint type) => _announcementOfHandler > _firstVersion && type < LibraryTypes.First ? _announcementOfHandler : null;

    /// <summary>Registers and opens a peer, and announces the contracts that were registered during its handshake.</summary>
    /// <remarks>This order ensures that a broadcast reaches the remote side once its <see cref="MessageHost.ConnectAsync"/> has returned.</remarks>
    public void Open(Peer peer, bool isServer)
    {
        lock (_contracts)
        {
            host.Registry.Connect(peer);
            peer.Connection.Accept(ConnectionState.Open, isServer);
            if (peer.Connection.LastAnnouncement == _version)
                return;
            peer.Connection.AnnounceContracts(GetAll(), _version);
            foreach (var (_, collected) in _collected)
            {
                if (collected.Announcement > peer.Connection.FirstAnnouncement)
                    peer.Connection.SendControl(ControlCode.Hello, collected.Written, isDeferred: true); // HasOther assumes that all peers of this time were told
            }

            peer.Connection.Ping(Environment.TickCount64);
        }
    }

    /// <summary>Returns the contract of a type that this host handles, replies with or announces, or <c>null</c>.</summary>
    public MessageContract? Find(uint type)
    {
        lock (_contracts)
            return _contracts.TryGetValue(type, out var known) && known.Contract.TryGetTarget(out var contract) ? contract : null;
    }

    /// <summary>Returns whether the last contract of an id that this host has announced to a peer differs from another contract of the id.</summary>
    /// <param name="contract">The other contract.</param>
    /// <param name="layouts">Its layouts.</param>
    /// <param name="firstAnnouncement">The number of the announcement in the handshake of the peer. Contracts that were collected before it were not announced to the peer.</param>
    public bool HasOther(MessageContract contract, ContractLayouts layouts, int firstAnnouncement)
    {
        AnnouncedContract? known;
        lock (_contracts)
        {
            if (!_contracts.TryGetValue(contract.Type, out known) && (!_collected.TryGetValue(contract.Type, out known) || known.CollectedAt <= firstAnnouncement))
                return false;
        }

        return !(known.Contract.TryGetTarget(out var announced) && announced == contract) && !AnnouncedContracts.TryRead(known.Written)!.Agrees(contract, layouts);
    }

    /// <summary>Returns the contracts that are currently handled or announced.</summary>
    public MessageContract[] GetAll()
    {
        lock (_contracts)
        {
            var known = new List<MessageContract>(_contracts.Count);
            List<(uint Type, AnnouncedContract Tracked)>? gone = null; // removed after the loop, because not every runtime allows the removal during the enumeration
            foreach (var (type, tracked) in _contracts)
            {
                if (tracked.Contract.TryGetTarget(out var contract))
                    known.Add(contract);
                else
                    (gone ??= []).Add((type, tracked));
            }

            if (gone is null)
                return [.. known];
            _version++;
            RemoveUnknown();
            foreach (var (type, tracked) in gone)
            {
                _contracts.Remove(type);
                tracked.CollectedAt = _version;
                _collected[type] = tracked;
            }

            return [.. known];
        }
    }

    /// <summary>Returns the announcement of all contracts, including the announcement of sequenced events if the channel uses them. It is written once for all connections until a contract is added or was collected.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="isHandshake">Whether the handshake of the connection sends the announcement.</param>
    public ContractAnnouncement GetAnnouncement(Connection connection, bool isHandshake = false)
    {
        var mayLoseMessages = connection.MayLoseMessages;
        MessageContract[] contracts;
        int version;
        lock (_contracts)
        {
            contracts = mayLoseMessages ? [.. GetAll(), SequencedEvents.Contract] : GetAll();
            version = _version;
            if (isHandshake)
            {
                connection.FirstAnnouncement = connection.LastAnnouncement = connection.KnownAnnouncement = version; // a contract that is added from here on may be announced twice, and is not forgotten
                _firstVersion = Math.Min(_firstVersion, version);
            }

            if (_announcement is { } known && known.Version == version && known.MayLoseMessages == mayLoseMessages)
                return new ContractAnnouncement(contracts, known.Bytes, known.Layouts);
        }

        var announcement = ContractAnnouncement.Of(contracts);
        lock (_contracts)
            _announcement = (version, mayLoseMessages, announcement.Bytes, announcement.Layouts);
        return announcement;
    }

    /// <summary>Reads an announcement of a peer. Peers that announce the same bytes after each other share the result.</summary>
    /// <returns>The contracts; <c>null</c> if the bytes are invalid.</returns>
    public AnnouncedContracts? ReadAnnouncement(ReadOnlyMemory<byte> announcement)
    {
        if (_lastRead is { } last && last.Bytes.SequenceEqual(announcement.Span))
            return last;
        var read = AnnouncedContracts.TryRead(announcement);
        if (read is { Count: > 1 })
            _lastRead = read;
        return read;
    }

    /// <summary>Removes the collected contracts that were announced to no peer of now. The caller holds the lock.</summary>
    private void RemoveUnknown()
    {
        Debug.Assert(Monitor.IsEntered(_contracts));
        var first = int.MaxValue;
        foreach (var peer in host.Registry.GetAll())
            first = Math.Min(first, peer.Connection.FirstAnnouncement);
        foreach (var type in new List<uint>(_collected.Keys))
        {
            if (_collected[type].CollectedAt <= first)
                _collected.Remove(type);
        }
    }

    private void Prepare(MessageContract contract)
    {
        ArgumentNullException.ThrowIfNull(contract);
        host.Resources.NoteSecret(contract); // before the first message arrives
        LayoutLines.Prepare(contract);
    }

    /// <summary>Adds a handled or announced contract, and announces it to the connected peers, unless the last announcement of its id was the same. The caller holds the lock.</summary>
    /// <returns>The number of the announcement.</returns>
    private int Track(MessageContract contract)
    {
        Debug.Assert(Monitor.IsEntered(_contracts));
        var isTracked = _contracts.TryGetValue(contract.Type, out var known);
        if (isTracked && known!.Contract.TryGetTarget(out var same) && same == contract)
            return known.Announcement;
        var written = ContractDescriptor.WriteAll([contract]);
        if (!isTracked || !written.AsSpan().SequenceEqual(known!.Written))
        {
            known = new AnnouncedContract(written, ++_version);
            _collected.Remove(contract.Type);
            var layouts = LayoutLines.Of([contract]);
            foreach (var (_, peer) in host.Registry.Connected)
            {
                peer.Connection.Contracts.Replace(contract, layouts, _version);
                peer.Connection.AnnounceContracts([contract], _version);
            }
        }

        known.Contract.SetTarget(contract);
        _contracts[contract.Type] = known;
        return known.Announcement;
    }

    /// <summary>Asks the connected peers whether they have read the announcements after a number.</summary>
    private void AskPeersSince(int before)
    {
        Debug.Assert(Monitor.IsEntered(_contracts));
        if (_version == before)
            return;
        foreach (var (_, peer) in host.Registry.Connected)
            peer.Connection.Ping(Environment.TickCount64);
    }

    /// <summary>Rejects a contract whose id belongs to another type that is handled, replied with or announced here. Only one contract can be announced for each id.</summary>
    private void ThrowIfTaken(MessageContract added, MessageContract? beside = null)
    {
        Debug.Assert(Monitor.IsEntered(_contracts));
        // One is reserved, because a request also registers the contract of its reply.
        if (_contracts.Count + 1 >= ContractDescriptor.MaxCount && GetAll().Length + 1 >= ContractDescriptor.MaxCount)
            throw new InvalidOperationException($"This host has {_contracts.Count} contracts; peers accept at most {ContractDescriptor.MaxCount}. Register fewer message types on one host.");
        if (_announced.TryGetValue(added.Type, out var reference) && reference.TryGetTarget(out var announced))
            Check(announced);
        Check(beside);
        host.Dispatcher.HasHandler(added.Type, out var handled);
        Check(handled);
        // All contracts in use are tracked, so an id without a tracked contract of another type needs no search.
        if (!_contracts.TryGetValue(added.Type, out var known) || !known.Contract.TryGetTarget(out var tracked) || tracked.MessageType == added.MessageType)
            return;
        ReplySearches++;
        foreach (var (_, answered) in _answered)
            Check(answered.Reply);

        void Check(MessageContract? other)
        {
            if (other is not null && other.Type == added.Type && other.MessageType != added.MessageType)
                throw new InvalidOperationException($"Message type {added.Type} belongs to {other} on this host and cannot be used for {added}. Give one of the two types another id.");
        }
    }

    /// <summary>Marks messages of a type as requests for as long as the handler is registered.</summary>
    private HandlerRegistration NoteAnswering(uint type, HandlerRegistration registration, MessageContract reply)
    {
        _answered[type] = (registration, reply);
        return new HandlerRegistration(Remove);

        void Remove()
        {
            registration.Dispose();
            _answered.TryRemove(new(type, (registration, reply))); // only this registration: the type may have another one now
        }
    }

    /// <summary>A contract as it was announced.</summary>
    private sealed class AnnouncedContract(byte[] written, int announcement)
    {
        public readonly WeakReference<MessageContract> Contract = new(null!);

        public readonly byte[] Written = written;

        public readonly int Announcement = announcement;

        public int CollectedAt;
    }
}
