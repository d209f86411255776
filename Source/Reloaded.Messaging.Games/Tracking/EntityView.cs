using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Games;

/// <summary>The entities that one peer knows. A new entity is sent with all fields, a known entity with its changes, and an entity that is no longer visible with a mark.</summary>
/// <remarks>
/// Used by one thread at a time. An unchanged entity costs one comparison while entities come in the order of the previous tick, and one lookup from the
/// first entity out of order on. Reuse an entity's id only after every view has been without the entity for one tick.
/// </remarks>
public sealed class EntityView
{
    private const int OutOfOrder = -1;

    private readonly IdTable _known = new(); // between ticks, all entries have the same stamp
    private EntityChanges? _changes;
    private uint[] _order = new uint[16]; // the entities of the last tick; overwritten from the start by those of this tick
    private int _inOrder = OutOfOrder; // the number of entities that may still come in order; none after the first one out of order
    private uint[] _new = new uint[16]; // the new entities of this tick
    private int _newCount;
    private int _stamp = 1;
    private int _seen;
    private bool _sendsAll; // the peer did not receive the changes of a tick that did not end

    /// <summary>The number of entities that the peer knows.</summary>
    public int Count => _known.Count;

    /// <summary>Begins a tick. Only one view at a time may be between this call and <see cref="TryEnd"/>. If the previous tick did not end, this one sends all visible entities with all fields.</summary>
    /// <param name="changes">All changes since the last tick.</param>
    public void Begin(EntityChanges changes)
    {
        ArgumentNullException.ThrowIfNull(changes);
        changes.Compose();
        if (_changes is not null)
            Abandon();
        _newCount = 0;
        _inOrder = _changes is null ? _seen : 0;
        _changes = changes;
        _seen = 0;
    }

    /// <summary>Marks an entity as visible to the peer in this tick.</summary>
    /// <param name="id">The id of the entity.</param>
    /// <param name="entity">The entity. All its fields are read if the peer does not know it yet.</param>
    /// <exception cref="InvalidOperationException">Thrown when <see cref="Begin"/> was not called.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void See<T>(uint id, T entity)
        where T : class, ITracked
    {
        var seen = _seen;
        if (seen < _inOrder && _order[seen] == id)
        {
            _seen = seen + 1;
            if (_changes!.Count > 0)
                _changes.Append(id);
        }
        else if (IsNew(id))
        {
            WriteNew(id, entity);
        }
    }

    /// <summary>Ends the tick.</summary>
    /// <param name="update">The update to send to the peer. Valid until the next <see cref="Begin"/> of any view of these changes.</param>
    /// <returns><c>false</c> if the update is empty; otherwise, <c>true</c>.</returns>
    /// <exception cref="InvalidOperationException">Thrown when <see cref="Begin"/> was not called.</exception>
    public bool TryEnd(out EntityUpdate update)
    {
        var changes = _changes ?? throw NotBegun();
        if (_known.Count > _seen)
            LeaveOrder();
        _inOrder = OutOfOrder;
        Span<uint> gone = stackalloc uint[64];
        for (var left = _known.Count - _seen; left > 0;)
        {
            var removed = _known.RemoveOthers(_stamp, gone);
            left -= removed;
            foreach (var id in gone.Slice(0, removed))
            {
                changes.Composed.Buffer.WriteUVarint(id);
                changes.Composed.Buffer.WriteNull();
            }
        }

        _changes = null;
        _sendsAll = false;
        update = changes.Finish();
        return !update.IsEmpty;
    }

    /// <summary>Forgets all entities, for a peer whose update could not be sent. The next update has all visible entities with all fields.</summary>
    /// <remarks>The peer does not learn which entities are no longer visible. Send a message of your own that makes it discard all, or disconnect it.</remarks>
    public void Reset()
    {
        _known.Clear();
        _changes = null;
        _inOrder = OutOfOrder;
        _seen = 0;
        _sendsAll = false;
    }

    /// <summary>Marks a known entity as visible, and copies its changes.</summary>
    /// <returns><c>true</c> if all fields have to be sent; otherwise, <c>false</c>.</returns>
    private bool IsNew(uint id)
    {
        var changes = _changes ?? throw NotBegun();
        LeaveOrder();
        ref var stamp = ref _known.Find(id);
        if (stamp == 0)
            return true;
        if (stamp == _stamp)
            return false;
        if (_sendsAll)
            return true;

        stamp = _stamp;
        Put(id, ref _order, ref _seen);
        if (changes.Count > 0)
            changes.Append(id);
        return false;
    }

    /// <summary>Stamps the entities that came in order, so that each further entity is looked up.</summary>
    private void LeaveOrder()
    {
        if (_inOrder == OutOfOrder)
            return;
        _inOrder = OutOfOrder;
        _stamp = 3 - _stamp;
        foreach (var id in _order.AsSpan(0, _seen))
            _known.GetOrAdd(id) = _stamp;
    }

    /// <summary>Forgets the new entities and the order of a tick that did not end, because the peer did not receive its update.</summary>
    private void Abandon()
    {
        _sendsAll = true;
        _known.SetAll(_stamp);
        var added = _new.AsSpan(0, _newCount);
        foreach (var id in added)
            _known.Find(id) = 3 - _stamp;
        if (_newCount > 0)
            _known.RemoveOthers(_stamp, added);
    }

    /// <summary>Writes all fields of an entity, which is then known.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WriteNew<T>(uint id, T entity)
        where T : class, ITracked
    {
        ArgumentNullException.ThrowIfNull(entity);
        EntityChanges.WriteTo(_changes!.Composed, id, entity, entity.AllFields);
        ref var stamp = ref _known.GetOrAdd(id);
        if (stamp == 0)
            Put(id, ref _new, ref _newCount);
        stamp = _stamp;
        Put(id, ref _order, ref _seen);
    }

    private static void Put(uint id, ref uint[] ids, ref int count)
    {
        if (count == ids.Length)
            Array.Resize(ref ids, 2 * count);
        ids[count++] = id;
    }

    private static InvalidOperationException NotBegun() => new("The view is not in a tick. Call Begin first, then See for each entity, then TryEnd.");
}
