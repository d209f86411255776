using System.Collections.Generic;
using System.ComponentModel;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>What generated code makes collections with, rents them from and returns them to.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class PooledCollections
{
    /// <summary>The largest collection that is kept, in items: the pool is for those of every day.</summary>
    public const int MaxKept = 4096;

    /// <summary>An empty list, used before or new.</summary>
    public static List<T> RentList<T>(int capacity)
    {
        if (!InstancePool<List<T>>.TryRent(out var list))
            return new List<T>(capacity);
        if (list.Capacity < capacity)
            list.Capacity = capacity;
        return list;
    }

    /// <summary>An empty dictionary, used before or new.</summary>
    public static Dictionary<TKey, TValue> RentDictionary<TKey, TValue>(int capacity)
        where TKey : notnull
    {
        if (!InstancePool<Dictionary<TKey, TValue>>.TryRent(out var dictionary))
            return new Dictionary<TKey, TValue>(capacity);
        dictionary.EnsureCapacity(capacity);
        return dictionary;
    }

    /// <summary>Empties a list and keeps it.</summary>
    public static void Return<T>(List<T> list)
    {
        if (list.Capacity > MaxKept)
            return;
        list.Clear();
        InstancePool<List<T>>.Return(list);
    }

    /// <summary>Empties a dictionary and keeps it.</summary>
    public static void Return<TKey, TValue>(Dictionary<TKey, TValue> dictionary)
        where TKey : notnull
    {
        // Its room, not its count: a payload that promised a million pairs and failed at the first left room for all of them.
        if (dictionary.EnsureCapacity(0) > MaxKept)
            return;
        dictionary.Clear();
        InstancePool<Dictionary<TKey, TValue>>.Return(dictionary);
    }
}
