namespace Reloaded.Messaging.Games;

/// <summary>An entity that knows which of its fields changed: a creature, a player, a door. Up to 32 fields, one bit each.</summary>
/// <remarks>A property's setter compares, stores, and sets the field's bit. One thread at a time changes, collects and reads an entity.</remarks>
public interface ITracked
{
    /// <summary>The bits of all fields that there are; no others are ever accepted.</summary>
    uint AllFields { get; }

    /// <summary>The bits of the fields that changed since they were last collected, which sets it to 0.</summary>
    uint ChangedFields { get; set; }

    /// <summary>Writes some fields, that of the lowest bit first.</summary>
    /// <param name="fields">Their bits.</param>
    /// <param name="buffer">Where to; see <see cref="PayloadWriter"/>.</param>
    void WriteFields(uint fields, MessageBuffer buffer);

    /// <summary>Reads the same fields, from bytes that may be anything. Sets no bits: what was received did not change here.</summary>
    /// <param name="fields">Their bits: of <see cref="AllFields"/>.</param>
    /// <param name="reader">Where from.</param>
    /// <returns>False for bytes that are not such fields; those that were read by then are set.</returns>
    bool TryReadFields(uint fields, ref PayloadReader reader);
}
