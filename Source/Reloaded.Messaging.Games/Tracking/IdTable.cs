using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Games;

/// <summary>Maps entity ids to numbers. One array with linear probing: a lookup is a multiplication and usually one cache line.</summary>
internal sealed class IdTable
{
    private const int Smallest = 16;

    private Entry[] _entries = new Entry[Smallest];
    private Entry[] _spare = [];
    private int _shift = 32 - 4;

    public int Count { get; private set; }

    /// <summary>Gets a reference to the number of an id. A new id has 0, which must be set to another number before the next call.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref int GetOrAdd(uint id)
    {
        ref var entry = ref Probe(_entries, id);
        if (entry.Number == 0)
            entry = ref Add(id);
        return ref entry.Number;
    }

    /// <returns>A reference to the number of an id, which may be set to another number; 0, which is read-only, if the id has no number.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref int Find(uint id) => ref Probe(_entries, id).Number;

    public void Clear()
    {
        if (Count > 0)
            Array.Clear(_entries, 0, _entries.Length);
        Count = 0;
    }

    /// <summary>Gives all ids the given number.</summary>
    public void SetAll(int number)
    {
        foreach (ref var entry in _entries.AsSpan())
        {
            if (entry.Number != 0)
                entry.Number = number;
        }
    }

    /// <summary>Removes the ids with other numbers, and stores them at the start of <paramref name="removed"/>.</summary>
    /// <returns>The number of removed ids. Ids that do not fit are kept.</returns>
    public int RemoveOthers(int number, Span<uint> removed)
    {
        var old = _entries;
        var found = 0;
        _entries = _spare.Length == old.Length ? _spare : new Entry[old.Length];
        foreach (ref var entry in old.AsSpan())
        {
            if (entry.Number != 0 && entry.Number != number && found < removed.Length)
                removed[found++] = entry.Id;
            else if (entry.Number != 0)
                Probe(_entries, entry.Id) = entry;
        }

        Array.Clear(old, 0, old.Length);
        _spare = old;
        Count -= found;
        if (_entries.Length > Smallest && Count < _entries.Length / 8)
            Resize(_entries.Length / 2);
        return found;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ref Entry Add(uint id)
    {
        if (Count > _entries.Length / 2)
            Resize(_entries.Length * 2);
        ref var entry = ref Probe(_entries, id);
        entry.Id = id;
        Count++;
        return ref entry;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref Entry Probe(Entry[] entries, uint id)
    {
        // Multiplied by the golden ratio, consecutive ids are spread.
        var place = (int)((id * 2654435769u) >> _shift);
        while (entries[place].Number != 0 && entries[place].Id != id)
            place = (place + 1) & (entries.Length - 1);
        return ref entries[place];
    }

    private void Resize(int size)
    {
        var old = _entries;
        _shift += size > old.Length ? -1 : 1;
        _entries = new Entry[size];
        _spare = [];
        foreach (ref var entry in old.AsSpan())
        {
            if (entry.Number != 0)
                Probe(_entries, entry.Id) = entry;
        }
    }

    private struct Entry
    {
        public uint Id;
        public int Number;
    }
}
