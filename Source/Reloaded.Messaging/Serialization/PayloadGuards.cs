using System;
using System.Buffers;
using System.Collections.Generic;
using System.ComponentModel;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>Fills a dictionary from a payload, and stops if keys were chosen to collide in one bucket. Used by generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public struct KeyGuard<TKey, TValue>
    where TKey : notnull
{
    private readonly Dictionary<TKey, TValue> _items;
    private BucketSteps _steps;

    /// <summary>Starts to fill an empty dictionary with a capacity for <paramref name="count"/> pairs.</summary>
    public KeyGuard(Dictionary<TKey, TValue> items, int count)
    {
        _items = items;
        _steps = new BucketSteps(items.EnsureCapacity(count), count);
    }

    /// <summary>Adds a pair.</summary>
    /// <returns><c>false</c> if the key exists already or the keys collide; otherwise, <c>true</c>.</returns>
    public bool TryAdd(TKey key, TValue value) => _steps.TryStep(key) && _items.TryAdd(key, value);

    /// <summary>Ends a successful fill.</summary>
    public readonly void Finish() => _steps.Finish();
}

/// <summary>Fills a set from a payload, and stops if items were chosen to collide in one bucket. Used by generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public struct ItemGuard<T>
{
    private readonly HashSet<T> _items;
    private BucketSteps _steps;

    /// <summary>Starts to fill an empty set with a capacity for <paramref name="count"/> items.</summary>
    public ItemGuard(HashSet<T> items, int count)
    {
        _items = items;
        _steps = new BucketSteps(items.EnsureCapacity(count), count);
    }

    /// <summary>Adds an item.</summary>
    /// <returns><c>false</c> if the item exists already or the items collide; otherwise, <c>true</c>.</returns>
    public bool TryAdd(T item) => _steps.TryStep(item) && _items.Add(item);

    /// <summary>Ends a successful fill.</summary>
    public readonly void Finish() => _steps.Finish();
}

/// <summary>Counts the steps that additions take in the buckets of a hash table, and refuses keys that were chosen to collide in one bucket.</summary>
/// <remarks>
/// The hash of a number is the number. With a megabyte of numbers that are multiples of the table's size, each addition would walk past all
/// previous entries. A payload that takes more than <see cref="PerKey"/> steps per key is refused; ordinary keys take one.
/// </remarks>
internal struct BucketSteps
{
    /// <summary>The maximum number of keys of a table that is not checked: its worst case is 128 steps per key.</summary>
    public const int Unwatched = 256;

    /// <summary>The maximum number of steps per key, on average.</summary>
    public const int PerKey = 64;

    private readonly uint _buckets;
    private readonly int[]? _chains;
    private long _left;

    /// <summary>Starts to count.</summary>
    /// <param name="buckets">The number of buckets.</param>
    /// <param name="count">The number of keys that will be added.</param>
    public BucketSteps(int buckets, int count)
    {
        if (count <= Unwatched)
            return;
        _buckets = (uint)buckets;
        _left = (long)PerKey * count;
        _chains = ArrayPool<int>.Shared.Rent(buckets);
        Array.Clear(_chains, 0, buckets);
    }

    /// <summary>Counts the addition of a key.</summary>
    /// <returns><c>false</c> if the keys collide; otherwise, <c>true</c>.</returns>
    public bool TryStep<TKey>(TKey key) => _chains is null || (_left -= _chains[(uint)(key?.GetHashCode() ?? 0) % _buckets]++) >= 0;

    /// <summary>Ends a successful fill. After a failure, the counts are left to the garbage collector.</summary>
    public readonly void Finish()
    {
        if (_chains is not null)
            ArrayPool<int>.Shared.Return(_chains);
    }
}

/// <summary>The values of fields that are never null and that the sender did not send. Used by generated code. One instance serves all messages, so a payload cannot ask for many.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class MissingValues
{
    /// <summary>An empty relative address.</summary>
    public static readonly Uri Uri = new("", UriKind.Relative);

    /// <summary>The version 0.0.</summary>
    public static readonly Version Version = new(0, 0);
}
