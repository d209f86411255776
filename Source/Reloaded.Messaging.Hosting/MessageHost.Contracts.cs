using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting;

/// <content>The contracts that are handled or announced here, of which every peer is told.</content>
public abstract partial class MessageHost
{
    // Also their gate. Weak: handlers keep their contracts alive, or that they are declared; so a mod's contracts go with the mod.
    private readonly Dictionary<uint, WeakReference<MessageContract>> _contracts = [];
    private readonly Dictionary<uint, WeakReference<MessageContract>> _announced = [];
    private int _contractsVersion;

    /// <summary>Announces the declared contract of a message that this host only sends.</summary>
    /// <inheritdoc cref="AnnounceContract(MessageContract)"/>
    public void AnnounceContract<T>() => AnnounceContract(MessageContract.GetDeclared<T>());

    /// <summary>Announces the contract of a message that this host only sends, so that the handshake compares it with the peer's.</summary>
    /// <param name="contract">The contract. The host does not keep it alive: keep it for as long as its messages are sent.</param>
    /// <remarks>
    /// Contracts of handlers and replies are announced by their registration. A peer that handles the type by another contract is refused with
    /// <see cref="DisconnectReason.WrongContract"/>, and <see cref="ContractMismatched"/> reports the difference on both sides; with
    /// <see cref="MessageHostOptions.AcceptsOtherContracts"/> it is only reported. Without the announcement such a peer is accepted, and a send to it returns
    /// <see cref="SendStatus.ContractMismatch"/>. Call it before the first peer connects: a call later is compared with the peers that are connected.
    /// </remarks>
    /// <exception cref="InvalidOperationException">Thrown when the id belongs to another type that is handled, replied with or announced here, or when the host has too many contracts.</exception>
    public void AnnounceContract(MessageContract contract)
    {
        ArgumentNullException.ThrowIfNull(contract);
        lock (_contracts)
        {
            ThrowIfTaken(contract);
            _announced[contract.Type] = new WeakReference<MessageContract>(contract);
            TrackContract(contract);
        }
    }

    /// <summary>Notes a contract that is handled or announced here, and tells the peers that shook hands before. Inside of the gate.</summary>
    private void TrackContract(MessageContract contract)
    {
        if (_contracts.TryGetValue(contract.Type, out var known) && known.TryGetTarget(out var same) && same == contract)
            return;
        _contracts[contract.Type] = new WeakReference<MessageContract>(contract);
        _contractsVersion++;
        foreach (var (_, peer) in _connected)
        {
            peer.Connection.Contracts.Forget(contract.Type);
            peer.Connection.AnnounceContracts([contract]);
        }
    }

    /// <summary>Refuses a contract with the id of another type that is handled, replied with or announced here: peers can be told of one alone.</summary>
    private void ThrowIfTaken(MessageContract added, MessageContract? beside = null)
    {
        // One more: a request brings its reply's contract along.
        if (_contracts.Count + 1 >= ContractDescriptor.MaxCount && GetContracts().Length + 1 >= ContractDescriptor.MaxCount)
            throw new InvalidOperationException($"This host has {_contracts.Count} contracts, and peers accept at most {ContractDescriptor.MaxCount}. Register fewer message types on one host.");
        if (_announced.TryGetValue(added.Type, out var reference) && reference.TryGetTarget(out var announced))
            Check(announced);
        Check(beside);
        Dispatcher.HasHandler(added.Type, out var handled);
        Check(handled);
        foreach (var (_, answered) in _answered)
            Check(answered.Reply);

        void Check(MessageContract? other)
        {
            if (other is not null && other.Type == added.Type && other.MessageType != added.MessageType)
                throw new InvalidOperationException($"Message type {added.Type} is taken: this host knows it as {other}, and {added} cannot share it. Give one of them another id.");
        }
    }

    /// <summary>Registers a peer, opens it, and tells it of contracts that were registered during its handshake.</summary>
    /// <remarks>In this order: when the other side's <see cref="ConnectAsync"/> returns, a broadcast here reaches it.</remarks>
    private void Connect(Peer peer)
    {
        lock (_contracts)
        {
            _connected[peer.Id] = peer;
            peer.Groups.Join(AllPeers, isOpen: false);
            peer.Connection.Accept(ConnectionState.Open, isServer: this is MessageServer);
            if (peer.Connection.AnnouncedContracts != _contractsVersion && !peer.Connection.IsForeign)
                peer.Connection.AnnounceContracts(GetContracts());
        }
    }

    /// <summary>What is handled or announced here.</summary>
    internal MessageContract[] GetContracts()
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

    private MessageContract[] GetContractsFor(Peer peer)
    {
        lock (_contracts)
        {
            peer.Connection.AnnouncedContracts = _contractsVersion;
            return GetContracts();
        }
    }
}
