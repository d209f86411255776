using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>The contracts that the remote side has announced. Contracts that this side handles are compared with them in the handshake; other contracts are compared at their first use.</summary>
/// <remarks>The announcements are stored as received, about 1 KB for 30 contracts, and read again for each comparison. A contract is compared once for each peer.</remarks>
/// <param name="acceptsOthers">Whether a contract that differs is accepted.</param>
/// <param name="peer">The remote side, whose host reports each difference.</param>
internal sealed class RemoteContracts(bool acceptsOthers, Peer peer)
{
    private const uint Bits = 128;
    private const int Overhead = 32; // of an array and its entry; as many bytes as a short announcement

    private readonly object _gate = new();
    private readonly List<byte[]> _announcements = []; // announcements of no contract or of many contracts
    private readonly Dictionary<uint, byte[]> _singleAnnouncements = []; // later announcements of one contract; each replaces the earlier one of its type
    private readonly ulong[] _checked = new ulong[Bits / 64]; // a bit for each type below 128; other types are looked up in _used
    private readonly Dictionary<uint, WeakReference<MessageContract>> _used = []; // weak references, so that the contracts of an unloaded mod can be collected
    private readonly Dictionary<uint, WeakReference<MessageContract>> _refused = []; // so that further sends to this peer do not read the announcements again
    private readonly HashSet<uint> _reported = [];
    private int _size;

    /// <summary>The first difference for which <see cref="Add"/> refused the remote side, as this side sees it, and as the remote side does.</summary>
    public (ContractMismatch OurView, ContractMismatch TheirView)? Refusal { get; private set; }

    /// <summary>Returns whether a contract may be used with this peer. The first difference is reported.</summary>
    public bool Accepts(MessageContract ours)
    {
        if (ours.Type < Bits && (Volatile.Read(ref _checked[ours.Type / 64]) & (1ul << (int)(ours.Type % 64))) != 0)
            return true;

        ContractMismatch? mismatch;
        bool isAccepted;
        lock (_gate)
        {
            if (_used.ContainsKey(ours.Type))
                return true;
            if (_refused.TryGetValue(ours.Type, out var refused) && refused.TryGetTarget(out var contract) && contract == ours)
                return false;
            mismatch = FindMismatch(ours);
            isAccepted = mismatch is null || acceptsOthers;
            if (isAccepted)
            {
                _used[ours.Type] = new WeakReference<MessageContract>(ours);
                if (ours.Type < Bits)
                    Volatile.Write(ref _checked[ours.Type / 64], _checked[ours.Type / 64] | (1ul << (int)(ours.Type % 64)));
            }
            else
            {
                _refused[ours.Type] = new WeakReference<MessageContract>(ours);
            }
        }

        Report(mismatch);
        return isAccepted;
    }

    /// <summary>Returns whether the remote side has announced a contract of a type. Reads the announcements, so it is not for each message.</summary>
    public bool IsAnnounced(uint type)
    {
        lock (_gate)
            return FindAnnounced(type) is not null;
    }

    /// <summary>Removes the result of a type, so that it is compared again. Called when the type has another contract on this side.</summary>
    public void Forget(uint type)
    {
        lock (_gate)
        {
            _used.Remove(type);
            _refused.Remove(type);
            _reported.Remove(type);
            if (type < Bits)
                Volatile.Write(ref _checked[type / 64], _checked[type / 64] & ~(1ul << (int)(type % 64)));
        }
    }

    /// <summary>Adds the contracts of an announcement, and compares all contracts of this side with them.</summary>
    /// <param name="announcement">The announcement: a count and the contracts.</param>
    /// <param name="handled">The contracts that this side handles. The contracts that it has used with this peer are also compared.</param>
    /// <returns>The reason to disconnect the peer; otherwise, <c>null</c>.</returns>
    public DisconnectReason? Add(ReadOnlySpan<byte> announcement, IEnumerable<MessageContract> handled)
    {
        var mismatches = new List<ContractMismatch>();
        lock (_gate)
        {
            if (ContractDescriptor.TryReadAll(announcement) is not { } theirs || !TryKeep(announcement.ToArray(), theirs))
                return DisconnectReason.Malformed;
            foreach (var contract in handled)
                Check(contract);
            foreach (var (_, reference) in _used)
            {
                if (reference.TryGetTarget(out var contract))
                    Check(contract);
            }

            void Check(MessageContract ours)
            {
                var announced = theirs.Find(known => known.Type == ours.Type);
                if (announced?.FindMismatch(ours) is not { } mismatch)
                    return;
                mismatches.Add(mismatch);
                if (!acceptsOthers)
                    Refusal ??= (mismatch, announced.FindMismatchOfRemote(ours)!);
            }
        }

        mismatches.ForEach(Report);
        return mismatches.Count > 0 && !acceptsOthers ? DisconnectReason.WrongContract : null;
    }

    /// <summary>Stores an announcement, and removes the announcements that it replaces. A host may therefore register the same handlers any number of times.</summary>
    /// <returns><c>false</c> if the stored announcements exceed the limit; otherwise, <c>true</c>.</returns>
    private bool TryKeep(byte[] announcement, List<ContractDescriptor> theirs)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        foreach (var contract in theirs)
        {
            _refused.Remove(contract.Type);
            if (_singleAnnouncements.Remove(contract.Type, out var before))
                _size -= before.Length + Overhead;
        }

        _size += announcement.Length + Overhead;
        if (_size > HelloMessage.MaxSize)
            return false;
        if (theirs.Count == 1)
            _singleAnnouncements[theirs[0].Type] = announcement;
        else
            _announcements.Add(announcement);
        return true;
    }

    private ContractMismatch? FindMismatch(MessageContract ours) => FindAnnounced(ours.Type)?.FindMismatch(ours);

    private ContractDescriptor? FindAnnounced(uint type)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        if (_singleAnnouncements.TryGetValue(type, out var alone))
            return ContractDescriptor.TryReadAll(alone)![0];
        for (var i = _announcements.Count - 1; i >= 0; i--) // the last announcement is valid
        {
            if (ContractDescriptor.TryReadAll(_announcements[i])!.Find(known => known.Type == type) is { } theirs)
                return theirs;
        }

        return null;
    }

    // Called outside of the lock, because an event handler may register a message handler, which announces contracts to every peer.
    private void Report(ContractMismatch? mismatch)
    {
        if (mismatch is null)
            return;
        lock (_gate)
        {
            if (!_reported.Add(mismatch.Type))
                return;
        }

        peer.Host.Events.RaiseMismatch(peer, mismatch);
    }
}
