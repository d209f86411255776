using System;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Games;

/// <summary>What one peer sees: the entities it was told of, so that it gets all of a new one, the changes of others, and word of those that it sees no more.</summary>
/// <remarks>
/// Belongs to one thread at a time. An entity that did not change costs one comparison where entities come in the order of the tick before, and one
/// look-up from the first on that does not. Don't give an entity's id to another one before every view has been without it for a tick.
/// </remarks>
public sealed class EntityView
{
    private const int OutOfOrder = -1;

    private readonly IdTable _known = new(); // between ticks, all with the same stamp
    private EntityChanges? _changes;
    private uint[] _order = new uint[16]; // those that were seen in the last tick, and from the start those of this one
    private int _inOrder = OutOfOrder; // how many of them may come in order still; none from the first on that did not
    private uint[] _told = new uint[16]; // from the start those that are new in this tick
    private int _newlyTold;
    private int _stamp = 1;
    private int _seen;
    private bool _tellsAll; // the peer did not get the changes of a tick that did not end

    /// <summary>The entities that the peer was told of.</summary>
    public int Count => _known.Count;

    /// <summary>Begins a tick. One view at a time is between this and <see cref="TryEnd"/>. Behind a tick that did not end, all that is seen is told whole.</summary>
    /// <param name="changes">What changed since the last tick, whole.</param>
    public void Begin(EntityChanges changes)
    {
        ArgumentNullException.ThrowIfNull(changes);
        changes.Compose();
        if (_changes is not null)
            Abandon();
        _newlyTold = 0;
        _inOrder = _changes is null ? _seen : 0;
        _changes = changes;
        _seen = 0;
    }

    /// <summary>Says that the peer sees an entity in this tick.</summary>
    /// <param name="id">The entity's number.</param>
    /// <param name="entity">The entity, which is asked for its fields if the peer didn't see it before.</param>
    /// <exception cref="InvalidOperationException">There was no <see cref="Begin"/>.</exception>
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
            Tell(id, entity);
        }
    }

    /// <summary>Ends the tick.</summary>
    /// <param name="update">What to send to the peer: valid until the next <see cref="Begin"/> of any view of these changes.</param>
    /// <returns>False if there is nothing to tell.</returns>
    /// <exception cref="InvalidOperationException">There was no <see cref="Begin"/>.</exception>
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
        _tellsAll = false;
        update = changes.Finish();
        return !update.IsEmpty;
    }

    /// <summary>Forgets what the peer was told: for one whose update could not be sent. The next one tells it everything it sees.</summary>
    /// <remarks>It is not told of entities that it sees no more. Send it a message of your own to forget all, or disconnect it.</remarks>
    public void Reset()
    {
        _known.Clear();
        _changes = null;
        _inOrder = OutOfOrder;
        _seen = 0;
        _tellsAll = false;
    }

    /// <summary>Notes that a known entity is seen, and copies what changed of it.</summary>
    /// <returns>Whether all of it is to be told.</returns>
    private bool IsNew(uint id)
    {
        var changes = _changes ?? throw NotBegun();
        LeaveOrder();
        ref var stamp = ref _known.Find(id);
        if (stamp == 0)
            return true;
        if (stamp == _stamp)
            return false;
        if (_tellsAll)
            return true;

        stamp = _stamp;
        Put(id, ref _order, ref _seen);
        if (changes.Count > 0)
            changes.Append(id);
        return false;
    }

    /// <summary>Stamps those that came in order, so that from here on each is looked up.</summary>
    private void LeaveOrder()
    {
        if (_inOrder == OutOfOrder)
            return;
        _inOrder = OutOfOrder;
        _stamp = 3 - _stamp;
        foreach (var id in _order.AsSpan(0, _seen))
            _known.GetOrAdd(id) = _stamp;
    }

    /// <summary>Forgets who was new in a tick that did not end, since the peer was not told, nor of what changed. Who was seen in it is not known in order.</summary>
    private void Abandon()
    {
        _tellsAll = true;
        _known.SetAll(_stamp);
        var told = _told.AsSpan(0, _newlyTold);
        foreach (var id in told)
            _known.Find(id) = 3 - _stamp;
        if (_newlyTold > 0)
            _known.RemoveOthers(_stamp, told);
    }

    /// <summary>Writes all of an entity, which then is known.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Tell<T>(uint id, T entity)
        where T : class, ITracked
    {
        ArgumentNullException.ThrowIfNull(entity);
        EntityChanges.WriteTo(_changes!.Composed, id, entity, entity.AllFields);
        ref var stamp = ref _known.GetOrAdd(id);
        if (stamp == 0)
            Put(id, ref _told, ref _newlyTold);
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
