using System;

namespace Reloaded.Messaging.Games;

/// <summary>A message of changes: entities by their ids, each with the fields that changed, or gone.</summary>
/// <remarks>
/// One that a handler gets is valid until the handler returns. Its entities' bounds are checked when it is received; their fields as they are applied.
/// On the wire, entity after entity up to the end: a uvarint id; then 0 for one that is gone, or one more than the size of what follows, a uvarint of the
/// fields' bits, and the fields, that of the lowest bit first.
/// </remarks>
public sealed class EntityUpdate
{
    internal EntityUpdate()
    {
    }

    /// <summary>Whether there is no entity in it.</summary>
    public bool IsEmpty => Payload.IsEmpty;

    internal ReadOnlyMemory<byte> Payload { get; set; }

    /// <summary>What it came in, if that is rented.</summary>
    internal byte[]? Rented { get; set; }

    /// <summary>Makes the contract that sender and receiver of updates share.</summary>
    /// <param name="type">The message's id.</param>
    /// <param name="version">Raise it when an entity's fields are no longer the same.</param>
    public static MessageContract<EntityUpdate> CreateContract(uint type, int version = 1) => new(type, new EntityUpdateSerializer(), version: version);

    /// <summary>Goes through its entities.</summary>
    public EntityUpdateReader GetReader() => new(Payload.Span);
}
