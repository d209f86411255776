using System.Buffers;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>Fills a dictionary or a set from a payload, in a bounded number of steps for any keys. Used by generated code.</summary>
/// <remarks>
/// The hash code of a number is the number, and that of a <c>long</c> is one half of it xor the other half. So a sender can choose keys of one
/// bucket, and positions on a map have few hash codes. Each addition walks past all earlier keys of its bucket. A collection whose additions
/// take more than <see cref="PerKey"/> steps per key is copied to a collection with another comparer, which compares keys as the default
/// comparer does. There, only keys whose type computes poor hash codes collide, and a sender refuses them: <see cref="KeyChecks"/>.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public struct KeyGuard<TKey>
{
    /// <summary>The maximum number of keys of a collection that is not checked: its worst case is 128 steps per key.</summary>
    internal const int Unwatched = 256;

    /// <summary>The maximum number of steps per key with the default comparer, on average.</summary>
    internal const int PerKey = 64;

    /// <summary>The maximum number of steps per key with another comparer, on average. A sender allows half of it, because hash codes may differ between processes.</summary>
    internal const int MaxPerKey = 256;

    private readonly Func<TKey, int>? _hash;
    private readonly uint _buckets;
    private readonly int[]? _chains;
    private KeyComparer<TKey>? _comparer;
    private long _left;

    /// <summary>Starts to fill an empty collection.</summary>
    /// <param name="buckets">The capacity of the collection.</param>
    /// <param name="count">The number of keys that will be added.</param>
    /// <param name="hash">Computes a hash code from all that two keys are compared by; <c>null</c> if only the type of the key knows what that is.</param>
    public KeyGuard(int buckets, int count, Func<TKey, int>? hash)
        : this()
    {
        if (count <= Unwatched)
            return;
        _hash = hash;
        _buckets = (uint)buckets;
        _left = (long)PerKey * count;
        _chains = ArrayPool<int>.Shared.Rent(buckets);
        Array.Clear(_chains, 0, buckets);
    }

#pragma warning disable CS8714 // the keys of a dictionary are never null; the items of a set may be
    /// <summary>Adds a pair.</summary>
    /// <returns><c>false</c> if the key exists already or the keys collide; otherwise, <c>true</c>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryAdd<TValue>(ref Dictionary<TKey, TValue> items, TKey key, TValue value) => (TryStep(key) || TryMix(ref items)) && items.TryAdd(key, value);

    /// <summary>Adds an item.</summary>
    /// <returns><c>false</c> if the item exists already or the items collide; otherwise, <c>true</c>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryAdd(ref HashSet<TKey> items, TKey item) => (TryStep(item) || TryMix(ref items)) && items.Add(item);

    /// <summary>Ends a successful fill. After a failure, the counts are left to the garbage collector.</summary>
    public readonly void Finish()
    {
        if (_chains is not null)
            ArrayPool<int>.Shared.Return(_chains);
    }

    /// <summary>Starts to count the steps that a receiver takes at most.</summary>
    internal static KeyGuard<TKey> OfSender(int count)
    {
        var guard = new KeyGuard<TKey>(count, count, null);
        if (count > Unwatched && guard.TryMix())
            guard._left /= 2;
        return guard;
    }

    /// <summary>Counts the addition of a key.</summary>
    /// <returns><c>false</c> if the keys collide; otherwise, <c>true</c>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryStep(TKey key) =>
        _chains is null || (_left -= _chains[(uint)(_comparer is null ? key?.GetHashCode() ?? 0 : _comparer.GetHashCode(key!)) % _buckets]++) >= 0;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryMix<TValue>(ref Dictionary<TKey, TValue> items)
    {
        if (!TryMix())
            return false;
        var mixed = new Dictionary<TKey, TValue>((int)_buckets, _comparer);
        foreach (var pair in items)
        {
            if (!TryStep(pair.Key))
                return false;
            mixed.Add(pair.Key, pair.Value);
        }

        items = mixed;
        return true;
    }
#pragma warning restore CS8714

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryMix(ref HashSet<TKey> items)
    {
        if (!TryMix())
            return false;
        var mixed = new HashSet<TKey>((int)_buckets, _comparer);
        foreach (var item in items)
        {
            if (!TryStep(item))
                return false;
            mixed.Add(item);
        }

        items = mixed;
        return true;
    }

    private bool TryMix()
    {
        if (_comparer is not null)
            return false;
        _comparer = new KeyComparer<TKey>(_hash);
        _left = (long)MaxPerKey * _buckets;
        Array.Clear(_chains!, 0, (int)_buckets);
        return true;
    }
}

/// <summary>Compares keys as the default comparer does, with hash codes that a remote side cannot foresee.</summary>
/// <param name="hash">Computes the hash code of a key that is not null; <c>null</c> to use that of the key.</param>
internal sealed class KeyComparer<T>(Func<T, int>? hash) : IEqualityComparer<T>
{
    public bool Equals(T? x, T? y) => EqualityComparer<T>.Default.Equals(x!, y!);

    public int GetHashCode(T key) => hash is null ? HashCode.Combine(key) : key is null ? 0 : hash(key);
}

/// <summary>Checks before sending that a receiver accepts the keys of a dictionary or a set. Used by generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class KeyChecks
{
    /// <summary>Checks a dictionary.</summary>
    /// <param name="items">The dictionary.</param>
    /// <param name="hash">The same as that of the receiver's <see cref="KeyGuard{TKey}"/>.</param>
    /// <param name="member">The name of the member, for the exception.</param>
    /// <exception cref="InvalidOperationException">Thrown when two keys are equal by the default comparer, or when too many keys have equal hash codes.</exception>
    public static void Check<TKey, TValue>(Dictionary<TKey, TValue> items, Func<TKey, int>? hash, string member)
        where TKey : notnull
    {
        if (NeedsCheck(items.Count, items.Comparer, hash))
            Check(items.Keys, items.Count, items.Comparer, hash, member);
    }

    /// <summary>Checks a set.</summary>
    /// <inheritdoc cref="Check{TKey, TValue}"/>
    public static void Check<T>(HashSet<T> items, Func<T, int>? hash, string member)
    {
        if (NeedsCheck(items.Count, items.Comparer, hash))
            Check(items, items.Count, items.Comparer, hash, member);
    }

    /// <summary>Computes a hash code of the bytes of a value, whose size is a multiple of four.</summary>
    public static int HashOf<T>(T value)
        where T : unmanaged
    {
        var hash = new HashCode();
        foreach (var part in MemoryMarshal.Cast<T, int>(MemoryMarshal.CreateReadOnlySpan(ref value, 1)))
            hash.Add(part);
        return hash.ToHashCode();
    }

    private static bool NeedsCheck<T>(int count, object? comparer, Func<T, int>? hash) =>
        !ReferenceEquals(comparer, EqualityComparer<T>.Default) || (hash is null && count > KeyGuard<T>.Unwatched);

    /// <summary>Checks the keys of a collection that is received as another one.</summary>
    /// <param name="keys">The keys.</param>
    /// <param name="count">The number of keys.</param>
    /// <param name="comparer">The comparer of the collection; <c>null</c> if it is not known.</param>
    /// <param name="hash">The same as that of the receiver's <see cref="KeyGuard{TKey}"/>.</param>
    /// <param name="member">The name of the member, for the exception.</param>
    /// <exception cref="InvalidOperationException">Thrown when two keys are equal by the default comparer, or when too many keys have equal hash codes.</exception>
    public static void Check<T>(IEnumerable<T> keys, int count, object? comparer, Func<T, int>? hash, string member)
    {
        if (!NeedsCheck(count, comparer, hash))
            return;
        var guard = KeyGuard<T>.OfSender(hash is null ? count : 0);

        // Strings that are different for any comparer of strings are different.
        var distinct = ReferenceEquals(comparer, EqualityComparer<T>.Default) || comparer is StringComparer or KeyComparer<T> ? null : new HashSet<T>(new KeyComparer<T>(hash));
        foreach (var key in keys)
        {
            if (!guard.TryStep(key))
                Throw.KeysCollide(member, typeof(T), count, KeyGuard<T>.MaxPerKey / 2);
            if (distinct is not null && !distinct.Add(key))
                Throw.KeysAreEqual(member, (comparer ?? keys).GetType());
        }

        guard.Finish();
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
