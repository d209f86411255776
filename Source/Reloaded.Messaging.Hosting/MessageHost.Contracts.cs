using System;
using System.Collections.Generic;
using Reloaded.Messaging.Contracts;
using Reloaded.Messaging.Hosting.Peers;

namespace Reloaded.Messaging.Hosting;

/// <content>The contracts that are handled here, of which every peer is told.</content>
public abstract partial class MessageHost
{
    // Also their gate. Weak: handlers keep their contracts alive, or that they are declared; so a mod's contracts go with the mod.
    private readonly Dictionary<uint, WeakReference<MessageContract>> _contracts = [];
    private int _contractsVersion;

    /// <summary>Whether a message of a secret contract may have been received.</summary>
    internal bool HandlesSecrets { get; private set; }

    /// <summary>Notes a contract that is handled here, and tells the peers that shook hands before. Inside of the gate.</summary>
    private void Know(MessageContract contract)
    {
        if (_contracts.TryGetValue(contract.Type, out var known) && known.TryGetTarget(out var same) && same == contract)
            return;
        _contracts[contract.Type] = new WeakReference<MessageContract>(contract);
        _contractsVersion++;
        foreach (var (_, peer) in _connected)
        {
            peer.Contracts.Forget(contract.Type);
            peer.TellOf([contract]);
        }
    }

    /// <summary>Refuses a contract with the id of another type that is handled or replied with here: peers can be told of one alone.</summary>
    private void ThrowIfTaken(MessageContract added, MessageContract? beside = null)
    {
        Check(beside);
        Check(Dispatcher.FindTarget(added.Type)?.Contract);
        foreach (var (_, answered) in _answered)
            Check(answered.Reply);

        void Check(MessageContract? other)
        {
            if (other is not null && other.Type == added.Type && other.MessageType != added.MessageType)
                Throw.TypeTaken(added.Type, other.ToString(), added.ToString());
        }
    }

    /// <summary>Takes a peer among those that are told of contracts, and tells it of those that came while it shook hands.</summary>
    private void Connect(Peer peer)
    {
        lock (_contracts)
        {
            _connected[peer.Id] = peer;
            if (peer.ToldContracts != _contractsVersion && !peer.IsForeign)
                peer.TellOf(GetContracts());
        }
    }

    /// <summary>Has what was received zeroed from now on, if the contract is secret.</summary>
    internal void NoteSecret(MessageContract contract) => HandlesSecrets |= contract.IsSecret;

    /// <summary>What is handled here.</summary>
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
            peer.ToldContracts = _contractsVersion;
            return GetContracts();
        }
    }
}
