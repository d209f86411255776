using System.Buffers;
using System.Collections.Generic;
using System.ComponentModel;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>Fills a dictionary from a payload, and stops if keys were chosen to collide in one bucket. Used by generated code.</summary>
/// <remarks>
/// The hash of a number is the number. With a megabyte of numbers that are multiples of the table's size, each addition would walk past all
/// previous entries. Larger dictionaries therefore count the steps in the buckets of the dictionary itself. A payload that
/// takes more than <see cref="StepsPerKey"/> steps per key is refused; ordinary keys take one.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public struct KeyGuard<TKey, TValue>
    where TKey : notnull
{
    /// <summary>The maximum number of pairs of a dictionary that is not checked: its worst case is 128 steps per key.</summary>
    public const int Unwatched = 256;

    /// <summary>The maximum number of steps per key, on average.</summary>
    public const int StepsPerKey = 64;

    private readonly Dictionary<TKey, TValue> _items;
    private readonly uint _buckets;
    private readonly int[]? _chains;
    private long _stepsLeft;

    /// <summary>Starts to fill an empty dictionary with a capacity for <paramref name="count"/> pairs.</summary>
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
    /// <returns><c>false</c> if the key exists already or the keys collide; otherwise, <c>true</c>.</returns>
    public bool TryAdd(TKey key, TValue value) => (_chains is null || TryStep(key)) && _items.TryAdd(key, value);

    /// <summary>Ends a successful fill. After a failure, the counts are left to the garbage collector.</summary>
    public readonly void Finish()
    {
        if (_chains is not null)
            ArrayPool<int>.Shared.Return(_chains);
    }

    private bool TryStep(TKey key) => (_stepsLeft -= _chains![(uint)key.GetHashCode() % _buckets]++) >= 0;
}
