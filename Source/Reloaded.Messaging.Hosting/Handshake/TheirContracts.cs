using System;
using System.Collections.Generic;
using System.Threading;
using Reloaded.Messaging.Contracts;
using Reloaded.Messaging.Hosting.Peers;

namespace Reloaded.Messaging.Hosting.Handshake;

/// <summary>The contracts that the other side has told of, against which ours are checked: those that are handled in the handshake, any other when it is first used.</summary>
/// <remarks>They are kept as they came, about a kilobyte for thirty contracts, and read again for each check: a type is checked once a peer.</remarks>
internal sealed class TheirContracts(MessageHost host, Peer peer)
{
    private readonly object _gate = new();
    private readonly List<byte[]> _told = [];
    private readonly ulong[] _checked = new ulong[2]; // a bit for each type below 128: the others are looked up
    private readonly Dictionary<uint, MessageContract> _used = [];
    private readonly HashSet<uint> _reported = [];
    private int _size;

    /// <summary>Whether a contract may be used with this peer. A difference is reported, the first time.</summary>
    public bool Accepts(MessageContract ours)
    {
        if (ours.Type < 128 && (Volatile.Read(ref _checked[ours.Type >> 6]) & (1ul << (int)(ours.Type & 63))) != 0)
            return true;
        lock (_gate)
        {
            if (_used.ContainsKey(ours.Type))
                return true;
            if (Differs(ours) && !host.Options.AcceptsOtherContracts)
                return false;
            _used[ours.Type] = ours;
            if (ours.Type < 128)
                Volatile.Write(ref _checked[ours.Type >> 6], _checked[ours.Type >> 6] | (1ul << (int)(ours.Type & 63)));
            return true;
        }
    }

    /// <summary>Notes contracts that the other side tells of, in the hello or later, and checks all of ours against them.</summary>
    /// <param name="told">A count and the contracts.</param>
    /// <param name="handled">Those that this side handles. Those that it has used with this peer are checked too.</param>
    /// <returns>Why it is to go, if it is.</returns>
    public DisconnectReason? Add(ReadOnlySpan<byte> told, IEnumerable<MessageContract> handled)
    {
        lock (_gate)
        {
            _size += told.Length;
            if (_size > HelloMessage.MaxSize || KnownContract.TryReadAll(told) is not { } theirs)
                return DisconnectReason.Malformed;
            _told.Add(told.ToArray());
            var differs = false;
            foreach (var contract in handled)
                differs |= Report(theirs, contract);
            foreach (var (_, contract) in _used)
                differs |= Report(theirs, contract);
            return differs && !host.Options.AcceptsOtherContracts ? DisconnectReason.WrongContract : null;
        }
    }

    private bool Differs(MessageContract ours)
    {
        foreach (var told in _told)
        {
            if (Report(KnownContract.TryReadAll(told)!, ours))
                return true;
        }

        return false;
    }

    private bool Report(List<KnownContract> theirs, MessageContract ours)
    {
        if (theirs.Find(known => known.Type == ours.Type)?.FindMismatch(ours) is not { } mismatch)
            return false;
        if (_reported.Add(ours.Type))
            host.ReportMismatch(peer, mismatch);
        return true;
    }
}
