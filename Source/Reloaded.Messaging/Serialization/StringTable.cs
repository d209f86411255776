using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>Strings by their UTF-8 bytes: a table of a fixed size, which forgets.</summary>
/// <remarks>
/// A string has the four places of each of two sets that its hash names. When all are taken, an entry that has room in its other set moves
/// there. So a table that is half full keeps every string, whichever hashes the process draws. When no entry can move, a hand goes round the
/// first set and replaces the first entry without a hit since it last came by: so strings that come once mostly replace one another, and
/// leave those that come again.
/// <para>
/// Any thread, without a lock. An entry never changes but for its mark and is published by one write, so a reader sees all of it or none.
/// An entry that moves is in both sets for a moment. Threads that write to a set at once may lose an entry or add a string twice, and an entry's mark or a hand's step may get lost:
/// that costs a decoding, and never gives a wrong string.
/// </para>
/// </remarks>
internal sealed class StringTable : ITrimmable
{
    /// <summary>The places in a set.</summary>
    internal const int Ways = 4;

    private readonly Entry?[] _entries;
    private readonly byte[] _hands;

    /// <param name="sets">A power of two.</param>
    public StringTable(int sets)
    {
        _entries = new Entry[sets * Ways];
        _hands = new byte[sets];
    }

    /// <summary>The most strings it holds.</summary>
    public int Capacity => _entries.Length;

    /// <summary>The strings it holds. Exact while no other thread adds any; slow.</summary>
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

    /// <summary>The string that was added with these bytes.</summary>
    public bool TryGet(ulong hash, ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out string? value) =>
        TryGet(Places(FirstSet(hash)), hash, utf8, out value) || TryGet(Places(SecondSet(hash)), hash, utf8, out value);

    /// <summary>Adds a string that wasn't there, in place of another if there is no room.</summary>
    public void Add(ulong hash, ReadOnlySpan<byte> utf8, string value)
    {
        var entry = new Entry(hash, utf8.ToArray(), value);
        var (first, second) = (FirstSet(hash), SecondSet(hash));
        if (!TryPlace(first, entry) && !TryPlace(second, entry) && !TryMakeRoom(first, entry) && !TryMakeRoom(second, entry))
            Volatile.Write(ref Places(first)[WayToReplace(first)], entry);
    }

    /// <summary>Forgets the strings that weren't hit since the last trim. Any thread.</summary>
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
                if (!entry.WasHit) // a write for each hit would have the cores take the line from each other
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

    /// <summary>Moves an entry of a full set to the other set that its hash names, and takes its place.</summary>
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
