using System;
using System.Collections.Concurrent;
using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting;

/// <summary>The contracts that a host handles, replies with or announces. Every peer is told of them. Thread-safe.</summary>
internal sealed class HostContracts(MessageDispatcher<MessageContext> dispatcher, PeerRegistry peers, HostResources resources)
{
    // Also their gate. Weak: handlers keep their contracts alive, or that they are declared; so a mod's contracts go with the mod.
    private readonly Dictionary<uint, WeakReference<MessageContract>> _contracts = [];
    private readonly Dictionary<uint, WeakReference<MessageContract>> _announced = [];
    private readonly ConcurrentDictionary<uint, (HandlerRegistration Registration, MessageContract Reply)> _answered = new();
    private int _version;

    /// <summary>Whether messages of a type are requests here, where nothing in them says so.</summary>
    public bool Answers(uint type) => _answered.ContainsKey(type);

    /// <summary>Announces the contract of a message that the host only sends.</summary>
    public void Announce(MessageContract contract)
    {
        ArgumentNullException.ThrowIfNull(contract);
        lock (_contracts)
        {
            ThrowIfTaken(contract);
            _announced[contract.Type] = new WeakReference<MessageContract>(contract);
            Track(contract);
        }
    }

    /// <summary>Registers a handler, and tells the peers of its contracts. They are not told of a handler that is refused.</summary>
    /// <param name="contract">The contract of the events or requests.</param>
    /// <param name="reply">The contract of the replies; <c>null</c> for events.</param>
    /// <param name="register">Registers the handler.</param>
    public HandlerRegistration Register(MessageContract contract, MessageContract? reply, Func<HandlerRegistration> register)
    {
        ArgumentNullException.ThrowIfNull(contract);
        resources.NoteSecret(contract); // before the first message comes
        if (reply is not null)
            resources.NoteSecret(reply);
        lock (_contracts)
        {
            ThrowIfTaken(contract);
            if (reply is not null)
                ThrowIfTaken(reply, beside: contract);
            var registration = register();
            Track(contract);
            if (reply is null)
                return registration;
            Track(reply);
            return NoteAnswering(contract.Type, registration, reply);
        }
    }

    /// <summary>Registers a peer, opens it, and tells it of contracts that were registered during its handshake.</summary>
    /// <remarks>In this order: when <see cref="MessageHost.ConnectAsync"/> of the other side returns, a broadcast here reaches it.</remarks>
    public void Open(Peer peer, bool isServer)
    {
        lock (_contracts)
        {
            peers.Connect(peer);
            peer.Connection.Accept(ConnectionState.Open, isServer);
            if (peer.Connection.AnnouncedContracts != _version && !peer.Connection.IsForeign)
                peer.Connection.AnnounceContracts(GetAll());
        }
    }

    /// <summary>Returns the contracts that are handled or announced now.</summary>
    public MessageContract[] GetAll()
    {
        lock (_contracts)
        {
            var known = new List<MessageContract>(_contracts.Count);
            List<uint>? gone = null; // removed behind the loop: not every runtime bears that within
            foreach (var (type, reference) in _contracts)
            {
                if (reference.TryGetTarget(out var contract))
                    known.Add(contract);
                else
                    (gone ??= []).Add(type);
            }

            foreach (var type in gone ?? [])
                _contracts.Remove(type);

            return [.. known];
        }
    }

    /// <summary>Returns the contracts that a connection's handshake tells the other side of.</summary>
    public MessageContract[] GetFor(Connection connection)
    {
        lock (_contracts)
        {
            connection.AnnouncedContracts = _version;
            return GetAll();
        }
    }

    /// <summary>Notes a contract that is handled or announced here, and tells the peers that shook hands before. Inside of the gate.</summary>
    private void Track(MessageContract contract)
    {
        if (_contracts.TryGetValue(contract.Type, out var known) && known.TryGetTarget(out var same) && same == contract)
            return;
        _contracts[contract.Type] = new WeakReference<MessageContract>(contract);
        _version++;
        foreach (var (_, peer) in peers.Connected)
        {
            peer.Connection.Contracts.Forget(contract.Type);
            peer.Connection.AnnounceContracts([contract]);
        }
    }

    /// <summary>Refuses a contract with the id of another type that is handled, replied with or announced here: peers can be told of one alone.</summary>
    private void ThrowIfTaken(MessageContract added, MessageContract? beside = null)
    {
        // One more: a request brings its reply's contract along.
        if (_contracts.Count + 1 >= ContractDescriptor.MaxCount && GetAll().Length + 1 >= ContractDescriptor.MaxCount)
            throw new InvalidOperationException($"This host has {_contracts.Count} contracts, and peers accept at most {ContractDescriptor.MaxCount}. Register fewer message types on one host.");
        if (_announced.TryGetValue(added.Type, out var reference) && reference.TryGetTarget(out var announced))
            Check(announced);
        Check(beside);
        dispatcher.HasHandler(added.Type, out var handled);
        Check(handled);
        foreach (var (_, answered) in _answered)
            Check(answered.Reply);

        void Check(MessageContract? other)
        {
            if (other is not null && other.Type == added.Type && other.MessageType != added.MessageType)
                throw new InvalidOperationException($"Message type {added.Type} is taken: this host knows it as {other}, and {added} cannot share it. Give one of them another id.");
        }
    }

    /// <summary>Has a type's messages be requests for as long as its handler is registered.</summary>
    private HandlerRegistration NoteAnswering(uint type, HandlerRegistration registration, MessageContract reply)
    {
        _answered[type] = (registration, reply);
        return new HandlerRegistration(Remove);

        void Remove()
        {
            registration.Dispose();
            _answered.TryRemove(new(type, (registration, reply))); // its own: the type may have another by now
        }
    }
}
