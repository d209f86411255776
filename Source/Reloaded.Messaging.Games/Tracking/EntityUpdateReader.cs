using System;

namespace Reloaded.Messaging.Games;

/// <summary>Goes through the entities of an update.</summary>
public ref struct EntityUpdateReader
{
    private PayloadReader _reader;
    private int _outerEnd;
    private bool _isInside;

    internal EntityUpdateReader(ReadOnlySpan<byte> payload) => _reader = new PayloadReader(payload);

    /// <summary>Moves to the next entity. One whose fields were not applied is passed over.</summary>
    /// <param name="id">Its number.</param>
    /// <param name="isGone">Whether it is seen no more; otherwise <see cref="TryApply"/> has its fields.</param>
    /// <returns>False at the end.</returns>
    public bool TryNext(out uint id, out bool isGone)
    {
        if (_isInside)
            _reader.Leave(_outerEnd);
        _isInside = false;
        isGone = false;
        id = 0;
        if (_reader.IsAtEnd || !_reader.TryReadUVarint(out id) || !_reader.TryEnter(0, out isGone, out _outerEnd))
            return false;
        _isInside = !isGone;
        return true;
    }

    /// <summary>Sets the fields that came.</summary>
    /// <param name="entity">This side's copy of the entity.</param>
    /// <returns>
    /// False if they are not fields of such an entity: bits that it doesn't have, or none; bytes that are no such field, too few or too many. Then it
    /// may have been changed in part, and who sent it is not to be believed.
    /// </returns>
    public bool TryApply<T>(T entity)
        where T : class, ITracked
    {
        ArgumentNullException.ThrowIfNull(entity);
        if (!_isInside)
            return false;

        _isInside = false;
        var isRead = _reader.TryReadUVarint(out var fields) &&
            fields != 0 &&
            (fields & ~entity.AllFields) == 0 &&
            entity.TryReadFields(fields, ref _reader) &&
            _reader.IsAtEnd;
        _reader.Leave(_outerEnd);
        return isRead;
    }

    /// <summary>Whether the bounds of all entities are right.</summary>
    internal static bool IsValid(ReadOnlySpan<byte> payload)
    {
        var reader = new PayloadReader(payload);
        while (!reader.IsAtEnd)
        {
            if (!reader.TryReadUVarint(out _) || !reader.TryEnter(0, out var isGone, out var outerEnd))
                return false;
            if (isGone)
                continue;
            if (reader.IsAtEnd)
                return false; // an entity without fields has nothing to say
            reader.Leave(outerEnd);
        }

        return true;
    }
}
