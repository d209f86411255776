using System.Collections.Generic;
using System.ComponentModel;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>Creates, rents and returns collections for generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class PooledCollections
{
    /// <summary>The maximum size of a collection that is kept, in items.</summary>
    public const int MaxKept = 4096;

    /// <summary>Returns an empty list, rented or new.</summary>
    public static List<T> RentList<T>(int capacity)
    {
        if (!InstancePool<List<T>>.TryRent(out var list))
            return new List<T>(capacity);
        if (list.Capacity < capacity)
            list.Capacity = capacity;
        return list;
    }

    /// <summary>Returns an empty dictionary, rented or new.</summary>
    public static Dictionary<TKey, TValue> RentDictionary<TKey, TValue>(int capacity)
        where TKey : notnull
    {
        if (!InstancePool<Dictionary<TKey, TValue>>.TryRent(out var dictionary))
            return new Dictionary<TKey, TValue>(capacity);
        dictionary.EnsureCapacity(capacity);
        return dictionary;
    }

    /// <summary>Returns an empty set, rented or new.</summary>
    public static HashSet<T> RentSet<T>(int capacity)
    {
        if (!InstancePool<HashSet<T>>.TryRent(out var set))
            return new HashSet<T>(capacity);
        set.EnsureCapacity(capacity);
        return set;
    }

    /// <summary>Clears a list and keeps it.</summary>
    public static void Return<T>(List<T> list)
    {
        if (list.Capacity > MaxKept)
            return;
        list.Clear();
        InstancePool<List<T>>.Return(list);
    }

    /// <summary>Clears a set and keeps it.</summary>
    public static void Return<T>(HashSet<T> set)
    {
        if (set.EnsureCapacity(0) > MaxKept)
            return;
        set.Clear();
        InstancePool<HashSet<T>>.Return(set);
    }

    /// <summary>Clears a dictionary and keeps it.</summary>
    public static void Return<TKey, TValue>(Dictionary<TKey, TValue> dictionary)
        where TKey : notnull
    {
        // By its capacity, not its count: a payload that declared a million pairs and failed at the first left the whole capacity.
        if (dictionary.EnsureCapacity(0) > MaxKept)
            return;
        dictionary.Clear();
        InstancePool<Dictionary<TKey, TValue>>.Return(dictionary);
    }
}
