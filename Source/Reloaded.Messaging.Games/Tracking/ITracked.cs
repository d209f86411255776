namespace Reloaded.Messaging.Games;

/// <summary>An entity that records which of its fields changed, such as a creature, a player or a door. It has up to 32 fields, one bit each.</summary>
/// <remarks>The setter of a property compares, stores, and sets the bit of the field. One thread at a time changes, collects and reads an entity.</remarks>
public interface ITracked
{
    /// <summary>The bits of all fields. No other bits are accepted.</summary>
    uint AllFields { get; }

    /// <summary>The bits of the fields that changed since the last collection. Collecting sets them to 0.</summary>
    uint ChangedFields { get; set; }

    /// <summary>Writes the given fields, from the lowest bit to the highest.</summary>
    /// <param name="fields">The bits of the fields.</param>
    /// <param name="buffer">The destination; see <see cref="PayloadWriter"/>.</param>
    void WriteFields(uint fields, MessageBuffer buffer);

    /// <summary>Reads the given fields from untrusted bytes. Does not set <see cref="ChangedFields"/>: a received value is not a change of this side.</summary>
    /// <param name="fields">The bits of the fields, a subset of <see cref="AllFields"/>.</param>
    /// <param name="reader">The source.</param>
    /// <returns><c>false</c> if the bytes are not valid; fields that were read before stay set. Otherwise, <c>true</c>.</returns>
    bool TryReadFields(uint fields, ref PayloadReader reader);
}
