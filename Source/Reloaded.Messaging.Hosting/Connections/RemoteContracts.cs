using System.Diagnostics;

namespace Reloaded.Messaging.Hosting;

/// <summary>The contracts that the remote side has announced. Contracts that this side handles are compared with them in the handshake; other contracts are compared at their first use.</summary>
/// <remarks>The announcements are stored as received, about 4 KB for 30 contracts, with an index. A contract is compared once for each peer.</remarks>
/// <param name="acceptsOthers">Whether a contract that differs is accepted.</param>
/// <param name="peer">The remote side, whose host reports each difference.</param>
internal sealed class RemoteContracts(bool acceptsOthers, Peer peer)
{
    private const int MaxFast = 256; // a power of two, as each length of the table
    private const int MaxSize = 2 * HelloMessage.MaxSize; // the first hello and later announcements, which repeat the layouts of messages inside
    private const int Overhead = 32; // of an array and its entry; as many bytes as a short announcement

    private readonly object _gate = new();
    private readonly List<AnnouncedContracts> _announcements = []; // announcements of no contract or of many contracts
    private readonly Dictionary<uint, AnnouncedContracts> _singleAnnouncements = []; // later announcements of one contract; each replaces the earlier one of its type
    private readonly Dictionary<uint, WeakReference<MessageContract>> _used = []; // the last contract of each type that was accepted; weak references, so that the contracts of an unloaded mod can be collected
    private WeakReference<MessageContract>?[] _fastUsed = new WeakReference<MessageContract>?[1]; // most of the same, each at its type modulo the length, so that a send takes no lock
    private readonly Dictionary<uint, (WeakReference<MessageContract> Contract, ContractMismatch Mismatch)> _refused = []; // so that further sends to this peer do not read the announcements again
    private readonly HashSet<uint> _reported = [];
    private readonly Dictionary<uint, AnnouncedContracts?> _unordered = []; // the last contract of each type whose events may arrive late; null for contracts that differ
    private readonly Dictionary<uint, int> _early = []; // the announcements of this side that agree with the handshake of the remote side, by type
    private AnnouncedContracts? _first; // the announcement of the handshake
    private int _size;
    private int _replaced; // the number of calls of Replace

    /// <summary>The first difference for which <see cref="Add"/> refused the remote side.</summary>
    public ContractDifference? Refusal { get; private set; }

    /// <summary>Whether the remote side has announced layouts, and so reads them.</summary>
    public bool HasLayouts { get; private set; }

    /// <summary>Returns whether a contract may be used with this peer. The first difference is reported.</summary>
    /// <param name="ours">The contract.</param>
    /// <param name="message">The message that is sent by it; empty if none is.</param>
    public bool Accepts(MessageContract ours, ReadOnlySpan<byte> message = default)
    {
        var fast = Volatile.Read(ref _fastUsed);
        if (Volatile.Read(ref fast[ours.Type & (uint)(fast.Length - 1)]) is { } reference && reference.TryGetTarget(out var last) && last == ours)
            return true;

        int replaced;
        lock (_gate)
        {
            if (_used.TryGetValue(ours.Type, out var used) && used.TryGetTarget(out var known) && known == ours)
            {
                SetFast(ours.Type, used); // another type has taken its place
                return true;
            }

            if (FindRefusal(ours) is not null)
                return false;
            replaced = _replaced;
        }

        ContractMismatch? mismatch;
        bool isAccepted, isOutdated;
        var differences = new List<ContractDifference>();
        var layouts = LayoutLines.Of([ours]); // calls generated code of the program, so not under the lock
        if (!acceptsOthers && peer.Host.Contracts.HasOther(ours, layouts, peer.Connection.FirstAnnouncement))
            return false; // the remote side reads messages of the id by the contract that this side has announced
        var unordered = !message.IsEmpty && peer.Connection.MayLoseMessages && peer.Host.Resources.Deliveries.Find(message, isSequencedReadable: true).Mode != DeliveryMode.ReliableOrdered
            ? AnnouncedContracts.TryRead(ContractDescriptor.WriteAll([ours], layouts))
            : null;
        lock (_gate)
        {
            isOutdated = replaced != _replaced;
            FindAnnounced(ours.Type)?.Compare([ours], layouts, differences);
            mismatch = differences is [{ OurView: var view }] ? view : null;
            isAccepted = mismatch is null || acceptsOthers;
            if (isAccepted && !isOutdated)
            {
                _used[ours.Type] = new WeakReference<MessageContract>(ours);
                SetFast(ours.Type, _used[ours.Type]);
                if (_unordered.TryGetValue(ours.Type, out var before) && before?.Agrees(ours, layouts) != true)
                    _unordered[ours.Type] = null;
                else if (unordered is not null)
                    _unordered[ours.Type] = unordered;
            }
            else if (!isOutdated)
            {
                _refused[ours.Type] = (new WeakReference<MessageContract>(ours), mismatch!);
            }
        }

        if (isOutdated)
            return Accepts(ours, message); // this side has announced another contract in the meantime
        Report(mismatch);
        return isAccepted;
    }

    /// <summary>Returns why <see cref="Accepts"/> refused a contract; <c>null</c> if it did not.</summary>
    public ContractMismatch? DescribeRefusal(MessageContract ours)
    {
        lock (_gate)
            return FindRefusal(ours);
    }

    /// <summary>Returns the name of a type that was sent to the peer; <c>null</c> if it is not known.</summary>
    public string? NameOf(uint type)
    {
        lock (_gate)
            return _used.TryGetValue(type, out var used) && used.TryGetTarget(out var contract) ? contract.MessageType.Name : null;
    }

    /// <summary>Returns whether the remote side has announced a contract of a type.</summary>
    public bool IsAnnounced(uint type)
    {
        lock (_gate)
            return FindAnnounced(type) is not null;
    }

    /// <summary>Returns whether the remote side has sent messages of a type only by a contract that agrees with an announcement of this side, because its handshake had announced the contract.</summary>
    public bool IsEarly(uint type, int announcement)
    {
        lock (_gate)
            return _early.TryGetValue(type, out var early) && early == announcement;
    }

    /// <summary>Removes the result of a type that has another contract on this side, so that it is compared again.</summary>
    /// <param name="ours">The contract.</param>
    /// <param name="layouts">Its layouts.</param>
    /// <param name="announcement">The number of its announcement.</param>
    public void Replace(MessageContract ours, ContractLayouts layouts, int announcement)
    {
        var type = ours.Type;
        lock (_gate)
        {
            _replaced++;
            _early.Remove(type);
            if (_first is not null && FindAnnounced(type) == _first && _first.Agrees(ours, layouts))
                _early.Add(type, announcement);
            _used.Remove(type);
            _refused.Remove(type);
            _reported.Remove(type);
            SetFast(type, null);
        }
    }

    /// <summary>Adds the contracts of an announcement, and compares all contracts of this side with them.</summary>
    /// <param name="announcement">The announcement: a count and the contracts. It is kept.</param>
    /// <param name="ours">The contracts that this side handles. The contracts that it has used with this peer are also compared.</param>
    /// <returns>The reason to disconnect the peer; otherwise, <c>null</c>.</returns>
    public DisconnectReason? Add(ReadOnlyMemory<byte> announcement, ContractAnnouncement ours)
    {
        if (peer.Host.Contracts.ReadAnnouncement(announcement) is not { } theirs)
            return DisconnectReason.Malformed;
        var (used, differences) = (new List<MessageContract>(), theirs.Compare(ours));
        lock (_gate)
        {
            if (!TryKeep(theirs))
                return DisconnectReason.Malformed;
            HasLayouts |= theirs.HasLayouts;
            _first ??= theirs;
            foreach (var (_, reference) in _used)
            {
                if (reference.TryGetTarget(out var contract))
                    used.Add(contract);
            }

            for (var i = 0; i < theirs.Count; i++)
            {
                if (_unordered.TryGetValue(theirs[i], out var sent) && (sent is null || !used.Exists(one => one.Type == theirs[i])) && sent?.Equals(theirs, i) != true)
                    differences.Add(theirs.Read(i).DifferFrom(sent?.Read(0)));
            }
        }

        if (used.ToArray() is { Length: > 0 } compared)
            theirs.Compare(compared, LayoutLines.Of(compared), differences);
        if (differences.Count > 0 && !acceptsOthers)
            Refusal ??= differences[0];
        foreach (var difference in differences)
            Report(difference.OurView);
        return differences.Count > 0 && !acceptsOthers ? DisconnectReason.WrongContract : null;
    }

    /// <summary>Stores an announcement, and removes the announcements that it replaces. A host may therefore register the same handlers any number of times.</summary>
    /// <returns><c>false</c> if the stored announcements exceed the limit; otherwise, <c>true</c>.</returns>
    private bool TryKeep(AnnouncedContracts theirs)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        for (var i = 0; i < theirs.Count; i++)
        {
            _refused.Remove(theirs[i]);
            if (_singleAnnouncements.Remove(theirs[i], out var before))
                _size -= before.Bytes.Length + Overhead;
        }

        _size += theirs.Bytes.Length + Overhead;
        if (_size > MaxSize)
            return false;
        if (theirs.Count == 1)
            _singleAnnouncements[theirs[0]] = theirs;
        else
            _announcements.Add(theirs);
        return true;
    }

    private void SetFast(uint type, WeakReference<MessageContract>? used)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        var fast = _fastUsed;
        while (used is not null && fast.Length < MaxFast && fast[type & (uint)(fast.Length - 1)] is { } taken && taken.TryGetTarget(out var other) && other.Type != type)
        {
            var larger = new WeakReference<MessageContract>?[fast.Length * 2];
            foreach (var one in fast)
            {
                if (one is not null && one.TryGetTarget(out var contract))
                    larger[contract.Type & (uint)(larger.Length - 1)] = one;
            }

            fast = larger;
        }

        Volatile.Write(ref fast[type & (uint)(fast.Length - 1)], used);
        Volatile.Write(ref _fastUsed, fast);
    }

    private ContractMismatch? FindRefusal(MessageContract ours)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        return _refused.TryGetValue(ours.Type, out var refused) && refused.Contract.TryGetTarget(out var contract) && contract == ours ? refused.Mismatch : null;
    }

    private AnnouncedContracts? FindAnnounced(uint type)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        return _singleAnnouncements.TryGetValue(type, out var alone) ? alone : _announcements.FindLast(one => one.Find(type) >= 0); // the last announcement is valid
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

        peer.Host.RaiseMismatch(peer, mismatch);
    }
}
