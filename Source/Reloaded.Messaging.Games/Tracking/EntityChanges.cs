using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Games;

/// <summary>The changes of a tick: the changed fields of each entity, written once into one buffer.</summary>
/// <remarks>
/// Used by one thread at a time. Keep one instance and <see cref="Clear"/> it on each tick; it allocates nothing once its buffer has its final size. Send <see cref="All"/>
/// to peers that see all entities, and use an <see cref="EntityView"/> for each peer that sees some of them.
/// </remarks>
public sealed class EntityChanges : IDisposable
{
    private readonly ReusableBuffer _changed = new();
    private readonly ReusableBuffer _composed = new();
    private readonly IdTable _places = new();
    private readonly EntityUpdate _all = new();
    private readonly EntityUpdate _part = new();
    private (int Start, int Length)[] _slices = new (int, int)[16];
    private bool _isDisposed;

    /// <summary>The number of entities that changed.</summary>
    public int Count => _places.Count;

    /// <summary>All collected changes. Valid until the next <see cref="Collect"/>, <see cref="Clear"/> or <see cref="Dispose"/>.</summary>
    public EntityUpdate All
    {
        get
        {
            _all.Payload = _changed.Written;
            return _all;
        }
    }

    /// <summary>The buffer in which a view composes the update of its peer.</summary>
    internal ReusableBuffer Composed => _composed;

    /// <summary>Writes the changed fields of an entity and resets its bits. For an unchanged entity, this is one comparison.</summary>
    /// <param name="id">The id of the entity, which both sides use.</param>
    /// <param name="entity">The entity.</param>
    /// <returns><c>true</c> if a field changed; otherwise, <c>false</c>.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the entity was already collected since the last <see cref="Clear"/>.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // where the entity's class is known, so that its bits are read without a virtual call
    public bool Collect<T>(uint id, T entity)
        where T : class, ITracked
    {
        ArgumentNullException.ThrowIfNull(entity);
        var fields = entity.ChangedFields;
        if (fields == 0)
            return false;
        CollectChanged(id, entity, fields);
        return true;
    }

    /// <summary>Removes all collected changes, for the next tick.</summary>
    public void Clear()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        _changed.Clear();
        _composed.Clear();
        _places.Clear();
    }

    /// <summary>Returns the buffers to the pool.</summary>
    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        _all.Payload = _part.Payload = default;
        _changed.Dispose();
        _composed.Dispose();
        _places.Clear();
    }

    /// <summary>Writes an entity. If that throws, nothing is written.</summary>
    internal static void WriteTo<T>(ReusableBuffer destination, uint id, T entity, uint fields)
        where T : class, ITracked
    {
        var before = destination.Length;
        var buffer = destination.Buffer;
        try
        {
            buffer.WriteUVarint(id);
            var start = buffer.StartNested();
            buffer.WriteUVarint(fields);
            entity.WriteFields(fields, buffer);
            buffer.EndNested(start);
        }
        catch
        {
            destination.Truncate(before);
            throw;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CollectChanged<T>(uint id, T entity, uint fields)
        where T : class, ITracked
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (_places.Find(id) != 0)
            throw new InvalidOperationException($"Entity {id} was already collected. Collect each entity once, and call Clear before the next tick.");
        var start = _changed.Length;
        WriteTo(_changed, id, entity, fields);
        if (_places.Count == _slices.Length)
            Array.Resize(ref _slices, 2 * _slices.Length);
        _slices[_places.Count] = (start, _changed.Length - start);
        _places.GetOrAdd(id) = _places.Count;
        entity.ChangedFields = 0;
    }

    internal void Compose()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        _composed.Clear();
    }

    /// <summary>Copies the changes of an entity, if there are any, into the composed update.</summary>
    internal void Append(uint id)
    {
        if (_places.Find(id) is > 0 and var place)
        {
            var (start, length) = _slices[place - 1];
            _composed.Buffer.Write(_changed.Written.Span.Slice(start, length));
        }
    }

    internal EntityUpdate Finish()
    {
        _part.Payload = _composed.Written;
        return _part;
    }
}
