using System;
using System.Buffers;

namespace Reloaded.Messaging.CompilerServices;

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
