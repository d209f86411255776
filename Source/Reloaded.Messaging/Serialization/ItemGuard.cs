using System.Collections.Generic;
using System.ComponentModel;

namespace Reloaded.Messaging.CompilerServices;

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
