using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using Reloaded.Messaging.CompilerServices;

namespace Reloaded.Messaging.Games;

/// <summary>A message with entities: for each, its id, and its changed fields or the mark that it is no longer visible.</summary>
/// <remarks>
/// The update that a handler receives is valid until the handler returns. The bounds of its entities are checked on receipt, their fields when they are applied.
/// Wire format: entities up to the end of the payload. Each is a uvarint id, followed by 0 if it is no longer visible; otherwise by the size of the rest plus one,
/// a uvarint of the fields' bits, and the fields from the lowest bit to the highest.
/// </remarks>
public sealed class EntityUpdate
{
    internal EntityUpdate()
    {
    }

    /// <summary><c>true</c> if the update has no entity; otherwise, <c>false</c>.</summary>
    public bool IsEmpty => Payload.IsEmpty;

    internal ReadOnlyMemory<byte> Payload { get; set; }

    /// <summary>The rented array of the update, if it is rented.</summary>
    internal byte[]? Rented { get; set; }

    /// <summary>Creates the contract that the sender and the receiver of updates use.</summary>
    /// <param name="type">The id of the message.</param>
    /// <param name="version">The version. Raise it when the fields of an entity change.</param>
    public static MessageContract<EntityUpdate> CreateContract(uint type, int version = 1) => new(type, new EntityUpdateSerializer(), version: version);

    /// <summary>Gets a reader of the entities.</summary>
    public EntityUpdateReader GetReader() => new(Payload.Span);
}

/// <summary>Copies the bytes of an update, into rented memory if the handler returns it.</summary>
internal sealed class EntityUpdateSerializer : IPooledMessageSerializer<EntityUpdate>
{
    public string Name => "entities";

    public void Serialize(in EntityUpdate value, MessageBuffer buffer)
    {
        ArgumentNullException.ThrowIfNull(value);
        buffer.Write(value.Payload.Span);
    }

    public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out EntityUpdate value)
    {
        value = EntityUpdateReader.IsValid(payload) ? new EntityUpdate { Payload = payload.ToArray() } : null;
        return value is not null;
    }

    public bool TryDeserializePooled(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out EntityUpdate value)
    {
        if (!EntityUpdateReader.IsValid(payload))
        {
            value = null;
            return false;
        }

        value = InstancePool<EntityUpdate>.TryRent(out var spare) ? spare : new EntityUpdate();
        value.Rented = ArrayPool<byte>.Shared.Rent(payload.Length);
        payload.CopyTo(value.Rented);
        value.Payload = new ReadOnlyMemory<byte>(value.Rented, 0, payload.Length);
        return true;
    }

    public void Return(EntityUpdate value)
    {
        if (value.Rented is { } rented)
            ArrayPool<byte>.Shared.Return(rented);
        value.Rented = null;
        value.Payload = default;
        InstancePool<EntityUpdate>.Return(value);
    }
}
