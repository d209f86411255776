using System.Text;
using System.Text.Unicode;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>An announcement of the remote side: its bytes, and an index of its contracts.</summary>
/// <remarks>
/// Equal bytes are compatible contracts, so most contracts are compared as bytes. A contract is read, and the layouts become a text, only if they differ.
/// Peers that announce the same bytes share an instance. Thread-safe.
/// </remarks>
internal sealed class AnnouncedContracts
{
    private const int MinSize = 8;
    private const int MaxScanned = 8; // the number of contracts up to which a scan is as fast as a table

    private readonly ReadOnlyMemory<byte> _bytes;
    private readonly Entry[] _entries;
    private readonly Dictionary<uint, int>? _places; // null for few contracts
    private readonly (int Start, int Length) _lines;
    private WeakReference<ContractLayouts>? _layouts; // the text has twice the size of the bytes, and is used for a short time
    private byte[]? _compatible;

    private AnnouncedContracts(ReadOnlyMemory<byte> bytes, Entry[] entries, Dictionary<uint, int>? places, (int Start, int Length) lines) =>
        (_bytes, _entries, _places, _lines) = (bytes, entries, places, lines);

    /// <summary>The announcement as it was received.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes.Span;

    /// <summary>The number of contracts.</summary>
    public int Count => _entries.Length;

    /// <summary>Whether the layouts of the contracts are announced too.</summary>
    public bool HasLayouts => _lines.Start > 0 && Count > 0;

    /// <summary>The layouts; <c>null</c> if none are announced.</summary>
    public ContractLayouts? Layouts
    {
        get
        {
            if (!HasLayouts)
                return null;
            if (_layouts is { } known && known.TryGetTarget(out var layouts))
                return layouts;
            layouts = new ContractLayouts(Encoding.UTF8.GetString(Bytes.Slice(_lines.Start, _lines.Length)));
            _layouts = new WeakReference<ContractLayouts>(layouts);
            return layouts;
        }
    }

    /// <summary>The id of a contract.</summary>
    public uint this[int place] => _entries[place].Type;

    /// <returns>The contracts without the entry of the layouts, or <see langword="null"/> if the bytes are malformed, contain an id twice, or contain more than <see cref="ContractDescriptor.MaxCount"/> contracts.</returns>
    public static AnnouncedContracts? TryRead(ReadOnlyMemory<byte> payload)
    {
        var bytes = payload.Span;
        var at = 0;
        if (!TryTakeCount(bytes, ref at, MinSize, out var count) || count > ContractDescriptor.MaxCount)
            return null;
        var entries = new Entry[count];
        var places = count > MaxScanned ? new Dictionary<uint, int>(count) : null;
        var lines = default((int Start, int Length));
        for (var i = 0; i < count; i++)
        {
            var start = at;
            if (!TrySkip(bytes, ref at, out var type, out lines) || !(places?.TryAdd(type, i) ?? Find(entries.AsSpan(0, i), type) < 0))
                return null;
            entries[i] = new Entry(type, start, at - start);
        }

        if (at != bytes.Length)
            return null;
        if (entries is not [.., { Type: LibraryTypes.ContractLayouts }])
            return new AnnouncedContracts(payload, entries, places, default);
        places?.Remove(LibraryTypes.ContractLayouts);
        return new AnnouncedContracts(payload, entries.AsSpan(0, count - 1).ToArray(), places, lines);
    }

    /// <summary>Returns the place of a contract in the announcement; -1 if the contract is not announced.</summary>
    public int Find(uint type) => _places is null ? Find(_entries, type) : _places.TryGetValue(type, out var place) ? place : -1;

    /// <summary>Reads a contract.</summary>
    public ContractDescriptor Read(int place)
    {
        var entry = _entries[place];
        return ContractDescriptor.TryRead(Bytes.Slice(entry.Start, entry.Length))!; // the bytes were checked
    }

    /// <summary>Compares contracts of this side with the announced ones.</summary>
    /// <param name="ours">The contracts.</param>
    /// <param name="ourLayouts">Their layouts; the first lines belong to <paramref name="ours"/>.</param>
    /// <param name="differences">Receives the differences.</param>
    /// <param name="own">The announcement of <paramref name="ours"/>; <c>null</c> if they were not announced together.</param>
    public void Compare(MessageContract[] ours, ContractLayouts ourLayouts, List<ContractDifference> differences, AnnouncedContracts? own = null)
    {
        LayoutComparison? layouts = null;
        for (var i = 0; i < ours.Length; i++)
        {
            var place = Find(ours[i].Type);
            if (place < 0)
                continue;
            if (layouts is null && Layouts is { } theirs)
                layouts = new LayoutComparison(ourLayouts, theirs);
            if (own is not null && own.BytesOf(i).SequenceEqual(BytesOf(place)) && layouts?.Find(i, place) is null)
                continue;
            if (Read(place).FindDifference(ours[i], layouts, i, place) is { } difference)
                differences.Add(difference);
        }
    }

    /// <summary>Returns whether a contract does not differ from the announced one.</summary>
    public bool Agrees(MessageContract contract, ContractLayouts layouts)
    {
        var differences = new List<ContractDifference>();
        Compare([contract], layouts, differences);
        return differences.Count == 0;
    }

    /// <summary>Returns whether the only contract of this announcement is equal to a contract of another one.</summary>
    public bool Equals(AnnouncedContracts other, int place) =>
        BytesOf(0).SequenceEqual(other.BytesOf(place)) && (Layouts is not { } ours || other.Layouts is not { } theirs || new LayoutComparison(ours, theirs).Find(0, place) is null);

    /// <summary>Compares the contracts of this side, as it has announced them, with the announced ones.</summary>
    public List<ContractDifference> Compare(ContractAnnouncement ours)
    {
        var differences = new List<ContractDifference>();
        if (ReferenceEquals(_compatible, ours.Bytes) || Bytes.SequenceEqual(ours.Bytes))
            return differences;
        Compare(ours.Contracts, ours.Layouts, differences, ours.Index);
        if (differences.Count == 0)
            _compatible = ours.Bytes;
        return differences;
    }

    private ReadOnlySpan<byte> BytesOf(int place) => Bytes.Slice(_entries[place].Start, _entries[place].Length);

    private static int Find(ReadOnlySpan<Entry> entries, uint type)
    {
        for (var i = 0; i < entries.Length; i++)
        {
            if (entries[i].Type == type)
                return i;
        }

        return -1;
    }

    /// <summary>Checks a contract without creating its strings.</summary>
    private static bool TrySkip(ReadOnlySpan<byte> bytes, ref int at, out uint type, out (int Start, int Length) name)
    {
        name = default;
        return TryTake(bytes, ref at, out type) &&
            TrySkipText(bytes, ref at, out name) &&
            TrySkipText(bytes, ref at, out _) &&
            TrySkip(bytes, ref at, sizeof(int)) &&
            TryTakeCount(bytes, ref at, sizeof(ulong), out var fields) &&
            TrySkip(bytes, ref at, fields * sizeof(ulong));
    }

    private static bool TrySkipText(ReadOnlySpan<byte> bytes, ref int at, out (int Start, int Length) text)
    {
        text = default;
        if (!TryTakeCount(bytes, ref at, 1, out var length) || !Utf8.IsValid(bytes.Slice(at, length)))
            return false;
        text = (at, length);
        return TrySkip(bytes, ref at, length);
    }

    /// <summary>Takes a count of items, of which each has a minimum size. Null is refused.</summary>
    private static bool TryTakeCount(ReadOnlySpan<byte> bytes, ref int at, int itemSize, out int count)
    {
        count = 0;
        if (!TryTake(bytes, ref at, out var prefix) || prefix == 0 || (prefix - 1) * (ulong)itemSize > (ulong)(bytes.Length - at))
            return false;
        count = (int)(prefix - 1);
        return true;
    }

    private static bool TryTake(ReadOnlySpan<byte> bytes, ref int at, out uint value)
    {
        var isValid = UVarint.TryRead(bytes.Slice(at), out value, out var size) == HeaderStatus.Ok;
        at += isValid ? size : 0;
        return isValid;
    }

    private static bool TrySkip(ReadOnlySpan<byte> bytes, ref int at, int size)
    {
        if (size > bytes.Length - at)
            return false;
        at += size;
        return true;
    }

    /// <summary>The place of a contract in the bytes.</summary>
    private readonly struct Entry(uint type, int start, int length)
    {
        public readonly uint Type = type;

        public readonly int Start = start;

        public readonly int Length = length;
    }
}
