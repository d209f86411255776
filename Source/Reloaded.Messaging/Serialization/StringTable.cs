using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>A table of fixed size that maps UTF-8 bytes to strings and replaces old entries.</summary>
/// <remarks>
/// A string can be in four places of each of two sets, which its hash selects. If all are used, an entry with a free place in its other set moves
/// there. A table that is half full therefore keeps every string, with any random seed. If no entry can move, the clock algorithm replaces the
/// first entry of the first set that had no hit since its last round. Strings that occur once therefore mostly replace one another,
/// and repeated strings stay.
/// <para>
/// Thread-safe, without a lock. Except for its mark, an entry never changes, and one write publishes it, so a reader sees all of it or nothing.
/// An entry that moves is in both sets for a moment. Concurrent writes to a set may lose an entry, add a string twice, or lose a mark or a step of the clock:
/// this costs a decoding and never returns a wrong string.
/// </para>
/// </remarks>
internal sealed class StringTable : ITrimmable
{
    /// <summary>The number of places in a set.</summary>
    internal const int Ways = 4;

    private readonly Entry?[] _entries;
    private readonly byte[] _hands;

    /// <param name="sets">The number of sets, a power of two.</param>
    public StringTable(int sets)
    {
        _entries = new Entry[sets * Ways];
        _hands = new byte[sets];
    }

    /// <summary>The maximum number of strings.</summary>
    public int Capacity => _entries.Length;

    /// <summary>The number of strings. Exact while no other thread adds strings; slow.</summary>
    public int Count
    {
        get
        {
            var count = 0;
            foreach (var entry in _entries)
            {
                if (entry is not null)
                    count++;
            }

            return count;
        }
    }

    /// <summary>Finds the string of these bytes.</summary>
    public bool TryGet(ulong hash, ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out string? value) =>
        TryGet(Places(FirstSet(hash)), hash, utf8, out value) || TryGet(Places(SecondSet(hash)), hash, utf8, out value);

    /// <summary>Adds a string, and replaces another if there is no free place.</summary>
    public void Add(ulong hash, ReadOnlySpan<byte> utf8, string value)
    {
        var entry = new Entry(hash, utf8.ToArray(), value);
        var (first, second) = (FirstSet(hash), SecondSet(hash));
        if (!TryPlace(first, entry) && !TryPlace(second, entry) && !TryMakeRoom(first, entry) && !TryMakeRoom(second, entry))
            Volatile.Write(ref Places(first)[WayToReplace(first)], entry);
    }

    /// <summary>Removes the strings without a hit since the last trim. Thread-safe.</summary>
    public void Trim()
    {
        for (var i = 0; i < _entries.Length; i++)
        {
            if (Volatile.Read(ref _entries[i]) is not { } entry)
                continue;
            if (entry.WasHit)
                entry.WasHit = false;
            else
                Volatile.Write(ref _entries[i], null);
        }
    }

    private static bool TryGet(Span<Entry?> set, ulong hash, ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out string? value)
    {
        for (var way = 0; way < set.Length; way++)
        {
            if (Volatile.Read(ref set[way]) is { } entry && entry.Hash == hash && utf8.SequenceEqual(entry.Utf8))
            {
                if (!entry.WasHit) // a write for each hit would move the cache line between the cores
                    entry.WasHit = true;
                value = entry.Value;
                return true;
            }
        }

        value = null;
        return false;
    }

    private bool TryPlace(int set, Entry entry)
    {
        foreach (ref var place in Places(set))
        {
            if (place is not null)
                continue;
            Volatile.Write(ref place, entry);
            return true;
        }

        return false;
    }

    /// <summary>Moves an entry of a full set to its other set, and uses its place.</summary>
    private bool TryMakeRoom(int set, Entry entry)
    {
        foreach (ref var place in Places(set))
        {
            if (Volatile.Read(ref place) is not { } moved)
                continue;
            var other = FirstSet(moved.Hash) == set ? SecondSet(moved.Hash) : FirstSet(moved.Hash);
            if (!TryPlace(other, moved))
                continue;
            Volatile.Write(ref place, entry);
            return true;
        }

        return false;
    }

    private int WayToReplace(int index)
    {
        var set = Places(index);
        ref var hand = ref _hands[index];
        for (var step = 0; step < Ways; step++)
        {
            var entry = set[hand % Ways];
            if (entry is not { WasHit: true })
                break;
            entry.WasHit = false;
            hand++;
        }

        return hand++ % Ways;
    }

    private Span<Entry?> Places(int set) => _entries.AsSpan(set * Ways, Ways);

    private int FirstSet(ulong hash) => (int)hash & (_hands.Length - 1);

    private int SecondSet(ulong hash) => (int)(hash >> 32) & (_hands.Length - 1);

    private sealed class Entry(ulong hash, byte[] utf8, string value)
    {
        public readonly ulong Hash = hash;
        public readonly byte[] Utf8 = utf8;
        public readonly string Value = value;
        public bool WasHit;
    }
}
