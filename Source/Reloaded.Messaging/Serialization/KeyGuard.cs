using System.Buffers;
using System.Collections.Generic;
using System.ComponentModel;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>Fills a dictionary from a payload, and stops at keys that were chosen to fall into one bucket. What generated code adds with.</summary>
/// <remarks>
/// A number's hash is the number. A megabyte of numbers that are multiples of the table's size makes each addition walk past all
/// before it: twenty thousand million steps. So larger dictionaries count the steps, in the buckets that the dictionary itself uses, and a payload
/// that takes more than <see cref="StepsPerKey"/> for each of its keys is refused; keys that nobody chose take one.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public struct KeyGuard<TKey, TValue>
    where TKey : notnull
{
    /// <summary>The largest dictionary that isn't watched, in pairs: at its worst it takes 128 steps a key.</summary>
    public const int Unwatched = 256;

    /// <summary>The steps a key that are allowed, on average.</summary>
    public const int StepsPerKey = 64;

    private readonly Dictionary<TKey, TValue> _items;
    private readonly uint _buckets;
    private readonly int[]? _chains;
    private long _stepsLeft;

    /// <summary>Starts to fill an empty dictionary that has room for <paramref name="count"/> pairs.</summary>
    public KeyGuard(Dictionary<TKey, TValue> items, int count)
    {
        _items = items;
        if (count <= Unwatched)
            return;
        _buckets = (uint)items.EnsureCapacity(count);
        _stepsLeft = (long)StepsPerKey * count;
        _chains = ArrayPool<int>.Shared.Rent((int)_buckets);
        System.Array.Clear(_chains, 0, (int)_buckets);
    }

    /// <summary>Adds a pair.</summary>
    /// <returns>False for a key that is there already, or when the keys fall together.</returns>
    public bool TryAdd(TKey key, TValue value) => (_chains is null || TryStep(key)) && _items.TryAdd(key, value);

    /// <summary>Ends what went well. After a failure the counts are left to the collector.</summary>
    public readonly void Finish()
    {
        if (_chains is not null)
            ArrayPool<int>.Shared.Return(_chains);
    }

    private bool TryStep(TKey key) => (_stepsLeft -= _chains![(uint)key.GetHashCode() % _buckets]++) >= 0;
}
