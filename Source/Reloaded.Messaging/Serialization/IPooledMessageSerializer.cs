using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>A serializer that can read into pooled instances. Generated for messages with <c>Pooled = true</c>.</summary>
/// <typeparam name="T">The message type, a class.</typeparam>
public interface IPooledMessageSerializer<T> : IMessageSerializer<T>
{
    /// <summary>Reads a message into a rented instance. <see cref="IMessageSerializer{T}.TryDeserialize"/> creates an instance that the caller may keep.</summary>
    /// <param name="payload">The whole payload. Untrusted; valid during the call.</param>
    /// <param name="value">The message. The caller owns it until it returns it, once. An instance that is not returned is garbage-collected.</param>
    /// <returns><c>false</c> if the bytes are not such a message; nothing has to be returned then. Otherwise, <c>true</c>.</returns>
    bool TryDeserializePooled(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value);

    /// <summary>Resets an instance and returns it, with its lists, its dictionaries and the pooled messages in it. Do not use it afterwards.</summary>
    /// <param name="value">The instance from <see cref="TryDeserializePooled"/>.</param>
    void Return(T value);
}

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
        if (set.EnsureCapacity(0) > MaxKept || !ReferenceEquals(set.Comparer, EqualityComparer<T>.Default))
            return;
        set.Clear();
        InstancePool<HashSet<T>>.Return(set);
    }

    /// <summary>Clears a dictionary and keeps it.</summary>
    public static void Return<TKey, TValue>(Dictionary<TKey, TValue> dictionary)
        where TKey : notnull
    {
        // By its capacity, not its count: a payload that declared a million pairs and failed at the first left the whole capacity.
        if (dictionary.EnsureCapacity(0) > MaxKept || !ReferenceEquals(dictionary.Comparer, EqualityComparer<TKey>.Default))
            return;
        dictionary.Clear();
        InstancePool<Dictionary<TKey, TValue>>.Return(dictionary);
    }
}
