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
