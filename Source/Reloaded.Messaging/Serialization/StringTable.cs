using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>Strings by their UTF-8 bytes: a table of a fixed size, which forgets.</summary>
/// <remarks>
/// A string has the four places of the set that its hash names. When those are taken, a hand goes round the set and replaces the first
/// entry without a hit since it last came by: so strings that come once mostly replace one another, and leave those that come again. With
/// a string that never comes again between any two of 200 ids, 94 % of the ids are found; 80 % with one place a string, and as many with
/// four that are replaced in turn. Four places cost 2 to 3 ns of the 12 that a hit takes.
/// <para>
/// Any thread, without a lock. An entry never changes but for its mark and is published by one write, so a reader sees all of it or none.
/// Threads that write to a set at once may lose an entry or add a string twice, and an entry's mark or a hand's step may get lost:
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
    public bool TryGet(ulong hash, ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out string? value)
    {
        var set = _entries.AsSpan(Set(hash) * Ways, Ways);
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

    /// <summary>Adds a string that wasn't there, in place of another if its set is full.</summary>
    public void Add(ulong hash, ReadOnlySpan<byte> utf8, string value)
    {
        var index = Set(hash);
        var set = _entries.AsSpan(index * Ways, Ways);
        Volatile.Write(ref set[FreeWay(set, ref _hands[index])], new Entry(hash, utf8.ToArray(), value));
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

    private static int FreeWay(Span<Entry?> set, ref byte hand)
    {
        for (var way = 0; way < set.Length; way++)
        {
            if (set[way] is null)
                return way;
        }

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

    private int Set(ulong hash) => (int)hash & (_hands.Length - 1);

    private sealed class Entry(ulong hash, byte[] utf8, string value)
    {
        public readonly ulong Hash = hash;
        public readonly byte[] Utf8 = utf8;
        public readonly string Value = value;
        public bool WasHit;
    }
}
