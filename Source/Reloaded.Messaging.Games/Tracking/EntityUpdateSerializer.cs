using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using Reloaded.Messaging.CompilerServices;

namespace Reloaded.Messaging.Games;

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
