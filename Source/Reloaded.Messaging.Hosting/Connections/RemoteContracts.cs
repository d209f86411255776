using System;
using System.Collections.Generic;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>The contracts that the other side has told of, against which ours are checked: those that are handled in the handshake, any other when it is first used.</summary>
/// <remarks>They are kept as they came, about a kilobyte for thirty contracts, and read again for each check: a contract is checked once a peer, accepted or refused.</remarks>
/// <param name="acceptsOthers">Whether a contract that differs is accepted.</param>
/// <param name="owner">Told of each difference.</param>
internal sealed class RemoteContracts(bool acceptsOthers, IConnectionOwner owner)
{
    private const uint Bits = 128;
    private const int Overhead = 32; // of an array and its place: as much as a short hello's bytes

    private readonly object _gate = new();
    private readonly List<byte[]> _told = []; // many at once, or none
    private readonly Dictionary<uint, byte[]> _toldAlone = []; // each since then: it holds, and takes the place of one told before
    private readonly ulong[] _checked = new ulong[Bits / 64]; // a bit for each type below: the others are looked up
    private readonly Dictionary<uint, WeakReference<MessageContract>> _used = []; // weak: a mod's contracts go with the mod
    private readonly Dictionary<uint, WeakReference<MessageContract>> _refused = []; // so that a send past this peer reads nothing again
    private readonly HashSet<uint> _reported = [];
    private int _size;

    /// <summary>Whether a contract may be used with this peer. A difference is reported, the first time.</summary>
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

    /// <summary>Has a type checked again: it has another contract here from now on.</summary>
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

    /// <summary>Notes contracts that the other side tells of, in the hello or later, and checks all of ours against them.</summary>
    /// <param name="told">A count and the contracts.</param>
    /// <param name="handled">Those that this side handles. Those that it has used with this peer are checked too.</param>
    /// <returns>Why it is to go, if it is.</returns>
    public DisconnectReason? Add(ReadOnlySpan<byte> told, IEnumerable<MessageContract> handled)
    {
        var mismatches = new List<ContractMismatch>();
        lock (_gate)
        {
            if (ContractDescriptor.TryReadAll(told) is not { } theirs || !TryKeep(told.ToArray(), theirs))
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
                if (theirs.Find(known => known.Type == ours.Type)?.FindMismatch(ours) is { } mismatch)
                    mismatches.Add(mismatch);
            }
        }

        mismatches.ForEach(Report);
        return mismatches.Count > 0 && !acceptsOthers ? DisconnectReason.WrongContract : null;
    }

    /// <summary>Keeps what was told, in place of what it replaces: a host may register the same handlers as often as it likes.</summary>
    /// <returns>False if all that is kept would be too much.</returns>
    private bool TryKeep(byte[] told, List<ContractDescriptor> theirs)
    {
        foreach (var contract in theirs)
        {
            _refused.Remove(contract.Type);
            if (_toldAlone.Remove(contract.Type, out var before))
                _size -= before.Length + Overhead;
        }

        _size += told.Length + Overhead;
        if (_size > HelloMessage.MaxSize)
            return false;
        if (theirs.Count == 1)
            _toldAlone[theirs[0].Type] = told;
        else
            _told.Add(told);
        return true;
    }

    private ContractMismatch? FindMismatch(MessageContract ours)
    {
        if (_toldAlone.TryGetValue(ours.Type, out var alone))
            return ContractDescriptor.TryReadAll(alone)![0].FindMismatch(ours);
        for (var i = _told.Count - 1; i >= 0; i--) // what was told last holds
        {
            if (ContractDescriptor.TryReadAll(_told[i])!.Find(known => known.Type == ours.Type) is { } theirs)
                return theirs.FindMismatch(ours);
        }

        return null;
    }

    // Outside of the gate: who listens may register a handler, which tells every peer.
    private void Report(ContractMismatch? mismatch)
    {
        if (mismatch is null)
            return;
        lock (_gate)
        {
            if (!_reported.Add(mismatch.Type))
                return;
        }

        owner.ReportMismatch(mismatch);
    }
}
