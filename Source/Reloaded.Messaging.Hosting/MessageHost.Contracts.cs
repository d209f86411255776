using System;
using System.Collections.Generic;
using Reloaded.Messaging.Contracts;
using Reloaded.Messaging.Hosting.Peers;

namespace Reloaded.Messaging.Hosting;

/// <content>The contracts that are handled here, of which every peer is told.</content>
public abstract partial class MessageHost
{
    private readonly Dictionary<uint, MessageContract> _contracts = []; // also their gate
    private int _contractsVersion;

    /// <summary>Notes a contract that is handled here, and tells the peers that shook hands before.</summary>
    private void Know(MessageContract contract)
    {
        ArgumentNullException.ThrowIfNull(contract);
        NoteSecret(contract);
        lock (_contracts)
        {
            if (_contracts.TryGetValue(contract.Type, out var known) && known == contract)
                return;
            _contracts[contract.Type] = contract;
            _contractsVersion++;
            foreach (var (_, peer) in _connected)
                peer.TellOf([contract]);
        }
    }

    /// <summary>Takes a peer among those that are told of contracts, and tells it of those that came while it shook hands.</summary>
    private void Connect(Peer peer)
    {
        lock (_contracts)
        {
            _connected[peer.Id] = peer;
            if (peer.ToldContracts != _contractsVersion && !Options.IsPlain)
                peer.TellOf([.. _contracts.Values]);
        }
    }

    /// <summary>Has what was received zeroed from now on, if the contract is secret.</summary>
    internal void NoteSecret(MessageContract contract) => HandlesSecrets |= contract.IsSecret;

    /// <summary>What is handled here.</summary>
    internal MessageContract[] GetContracts()
    {
        lock (_contracts)
            return [.. _contracts.Values];
    }

    private MessageContract[] GetContractsFor(Peer peer)
    {
        lock (_contracts)
        {
            peer.ToldContracts = _contractsVersion;
            return [.. _contracts.Values];
        }
    }
}
