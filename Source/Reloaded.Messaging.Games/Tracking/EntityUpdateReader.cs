namespace Reloaded.Messaging.Games;

/// <summary>Enumerates the entities of an update.</summary>
public ref struct EntityUpdateReader
{
    private PayloadReader _reader;
    private int _outerEnd;
    private bool _isInside;

    internal EntityUpdateReader(ReadOnlySpan<byte> payload) => _reader = new PayloadReader(payload);

    /// <summary>Moves to the next entity. The fields of the current entity are skipped if they were not applied.</summary>
    /// <param name="id">The id of the entity.</param>
    /// <param name="isGone"><c>true</c> if the entity is no longer visible; otherwise, <see cref="TryApply"/> sets its fields.</param>
    /// <returns><c>false</c> at the end of the update; otherwise, <c>true</c>.</returns>
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

    /// <summary>Sets the received fields of an entity.</summary>
    /// <param name="entity">This side's copy of the entity.</param>
    /// <returns>
    /// <c>false</c> if the bytes are not valid fields of the entity: unknown bits, no bits, too few bytes or too many. Some fields may have been set then;
    /// do not trust the sender. Otherwise, <c>true</c>.
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

    /// <summary>Checks the bounds of all entities.</summary>
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
                return false; // an entity must have a field
            reader.Leave(outerEnd);
        }

        return true;
    }
}
