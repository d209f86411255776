using System;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Games;

/// <summary>What changed in a tick: each entity's changed fields, written once, one after the other in one buffer.</summary>
/// <remarks>
/// Belongs to one thread at a time; keep it and <see cref="Clear"/> it each tick. Allocates nothing once it is as large as it gets. Send <see cref="All"/>
/// to those who see everything, and through an <see cref="EntityView"/> for each peer that sees a part.
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

    /// <summary>The entities that changed.</summary>
    public int Count => _places.Count;

    /// <summary>Everything that was collected. Valid until the next <see cref="Collect"/>, <see cref="Clear"/> or <see cref="Dispose"/>.</summary>
    public EntityUpdate All
    {
        get
        {
            _all.Payload = _changed.Written;
            return _all;
        }
    }

    /// <summary>What a view puts together for its peer.</summary>
    internal ReusableBuffer Composed => _composed;

    /// <summary>Writes what changed of an entity, and has it start over. For one that did not change, this is one look at its bits.</summary>
    /// <param name="id">The entity's number, under which both sides know it.</param>
    /// <param name="entity">The entity.</param>
    /// <returns>Whether something changed.</returns>
    /// <exception cref="InvalidOperationException">It was collected since the last <see cref="Clear"/> already.</exception>
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

    /// <summary>Forgets what was collected, for the next tick.</summary>
    public void Clear()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        _changed.Clear();
        _composed.Clear();
        _places.Clear();
    }

    /// <summary>Gives the buffers back.</summary>
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

    /// <summary>Writes an entity, or, where that throws, nothing.</summary>
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
            throw new InvalidOperationException($"Entity {id} was collected already. Collect each entity once, and Clear before the next tick.");
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

    /// <summary>Copies what changed of an entity to what is composed, if something did.</summary>
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
