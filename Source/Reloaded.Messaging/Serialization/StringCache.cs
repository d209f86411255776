using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>The process-wide cache of repeated strings, such as mod ids: a cached string is read without an allocation.</summary>
/// <remarks>
/// Thread-safe, without a lock. A cached string is the same object each time. Bytes are compared, not only their hash.
/// <para>
/// Limits: 1,024 strings of at most 1,024 bytes. With the copy of its bytes and the entry, each takes at most 3.2 KB, all of them 3.2 MB. Each Gen2
/// collection and <see cref="MessagePool.Trim"/> remove the strings that were not requested since the previous one.
/// </para>
/// <para>Not for secrets: cached strings stay in memory.</para>
/// </remarks>
internal static class StringCache
{
    /// <summary>The maximum size of a cached string, in bytes of UTF-8. Longer strings are decoded each time.</summary>
    internal const int MaxLength = 1024;

    private const int Sets = 256;

    private static readonly StringTable s_table = CreateTable();

    /// <summary>The maximum number of cached strings.</summary>
    internal static int Capacity => s_table.Capacity;

    /// <summary>The number of cached strings. Slow.</summary>
    internal static int Count => s_table.Count;

    /// <summary>Returns the string of UTF-8 bytes, from the cache if possible.</summary>
    /// <returns><c>false</c> if the bytes are not valid UTF-8; otherwise, <c>true</c>. Invalid bytes do not change the cache.</returns>
    public static bool TryGetOrAdd(ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out string? value)
    {
        if (utf8.IsEmpty)
        {
            value = "";
            return true;
        }

        if (utf8.Length > MaxLength)
            return Utf8Text.TryDecode(utf8, out value);

        var hash = SeededHash.Of(utf8);
        return s_table.TryGet(hash, utf8, out value) || TryAdd(hash, utf8, out value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool TryAdd(ulong hash, ReadOnlySpan<byte> utf8, [NotNullWhen(true)] out string? value)
    {
        if (!Utf8Text.TryDecode(utf8, out value))
            return false;
        s_table.Add(hash, utf8, value);
        return true;
    }

    private static StringTable CreateTable()
    {
        var table = new StringTable(Sets);
        MessagePool.Register(table);
        return table;
    }
}

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

/// <summary>A hash of bytes with a random seed per process, so that a sender cannot choose colliding bytes.</summary>
/// <remarks>
/// Folded multiplication: 16 bytes per step, each half masked, the upper half of the 128-bit product combined with the lower by xor. A plain
/// multiplication by a secret is not enough: two words that differ in their topmost bit would differ in it afterwards, with any secret.
/// For tables in memory: not cryptographic, and different on machines of different byte order.
/// </remarks>
internal static class SeededHash
{
    private static readonly ulong s_first = Secret();
    private static readonly ulong s_second = Secret();

    /// <summary>Returns the hash of <paramref name="bytes"/>, which must not be empty.</summary>
    public static ulong Of(ReadOnlySpan<byte> bytes)
    {
        ref var start = ref MemoryMarshal.GetReference(bytes);
        var length = (nint)(uint)bytes.Length;
        var state = s_first ^ (ulong)length;
        if (length < 4)
            return Fold((start | ((ulong)At(ref start, length >> 1) << 8) | ((ulong)At(ref start, length - 1) << 16)) ^ s_second, state);
        if (length < 8)
            return Fold(Read<uint>(ref start, 0) ^ s_second, ((ulong)Read<uint>(ref start, length - 4) << 8) ^ state);

        // The last 16 bytes (or two overlapping groups of 8) are always a separate step, so that no rest is read byte by byte.
        for (nint i = 0; i < length - 16; i += 16)
            state = Fold(Read<ulong>(ref start, i) ^ s_second, Read<ulong>(ref start, i + 8) ^ state);
        return Fold(Read<ulong>(ref start, length < 16 ? 0 : length - 16) ^ s_second, Read<ulong>(ref start, length - 8) ^ state);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Fold(ulong left, ulong right)
    {
        var high = Math.BigMul(left, right, out var low);
        return high ^ low;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte At(ref byte start, nint index) => Unsafe.Add(ref start, index);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static T Read<T>(ref byte start, nint index)
        where T : unmanaged => Unsafe.ReadUnaligned<T>(ref Unsafe.Add(ref start, index));

    private static ulong Secret()
    {
        Span<byte> bytes = stackalloc byte[sizeof(ulong)];
        RandomNumberGenerator.Fill(bytes);
        return MemoryMarshal.Read<ulong>(bytes);
    }
}
