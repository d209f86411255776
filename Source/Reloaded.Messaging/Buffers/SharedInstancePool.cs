using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>Spare objects for all threads: for objects whose use seldom ends on the thread that it began on.</summary>
/// <typeparam name="T">The objects' type.</typeparam>
/// <remarks>
/// Thread-safe; each call takes a short lock. Every Gen2 collection and <see cref="MessagePool.Trim"/> release all spare objects.
/// An object whose use begins and ends on one thread is cheaper in <see cref="InstancePool{T}"/>.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class SharedInstancePool<T>
    where T : class
{
    private readonly object _gate = new();
    private readonly TrimmedByPool _trimmable;
    private readonly int _capacity;
    private T?[] _items = [];
    private int _count;

    /// <summary>Creates an empty pool.</summary>
    /// <param name="capacity">The maximum number of spare objects (1 or more).</param>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when <paramref name="capacity"/> is less than 1.</exception>
    public SharedInstancePool(int capacity)
    {
        _capacity = Guard.AtLeast(1, capacity, nameof(capacity));
        _trimmable = new TrimmedByPool(this);
        MessagePool.Register(_trimmable);
    }

    /// <summary>Takes a spare object.</summary>
    /// <param name="instance">The object that was returned last. The caller owns it until it is returned again.</param>
    /// <returns><see langword="false"/> if there is no spare object; the caller creates one.</returns>
    public bool TryRent([NotNullWhen(true)] out T? instance)
    {
        lock (_gate)
        {
            instance = _count > 0 ? _items[--_count] : null;
            if (instance is not null)
                _items[_count] = null;
            return instance is not null;
        }
    }

    /// <summary>Returns an object that the caller has reset. A full pool leaves the object to the garbage collector.</summary>
    /// <param name="instance">The object. The caller does not use it again.</param>
    public void Return(T instance)
    {
        ArgumentNullException.ThrowIfNull(instance);
        lock (_gate)
        {
            if (_count == _capacity)
                return;
            if (_count == _items.Length)
                Array.Resize(ref _items, Math.Min(_capacity, Math.Max(16, _count * 2)));
            _items[_count++] = instance;
        }
    }

    private void Trim()
    {
        lock (_gate)
        {
            _items = [];
            _count = 0;
        }
    }

    /// <summary>The object that the message pool trims and references weakly, so that neither the interface nor the method is public.</summary>
    private sealed class TrimmedByPool(SharedInstancePool<T> pool) : ITrimmable
    {
        public void Trim() => pool.Trim();
    }
}
