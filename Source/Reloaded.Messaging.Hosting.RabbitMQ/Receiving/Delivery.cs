using System;
using System.Buffers;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A received message.</summary>
/// <param name="Tag">The tag of the delivery.</param>
/// <param name="From">The origin of the message, or of the first message of a batch.</param>
/// <param name="IsRedelivered">Whether the broker has delivered the message before.</param>
/// <param name="Properties">The properties.</param>
/// <param name="Body">The body.</param>
/// <param name="Rented">The buffer of the pool that contains the body; <c>null</c> if the body is in the client's memory.</param>
internal readonly record struct Delivery(ulong Tag, Origin From, bool IsRedelivered, IReadOnlyBasicProperties Properties, ReadOnlyMemory<byte> Body, byte[]? Rented)
{
    /// <summary>Whether the body is a sequence of frames.</summary>
    public bool IsBatch => Properties.Type == TopologyNames.Batch;

    /// <summary>Returns the delivery with a copy of the body, which is valid until <see cref="Free"/>.</summary>
    public Delivery Copy()
    {
        var rented = ArrayPool<byte>.Shared.Rent(Body.Length);
        Body.CopyTo(rented);
        return this with { Body = rented.AsMemory(0, Body.Length), Rented = rented };
    }

    /// <summary>Zeroes the buffer and returns it to the pool, because it may contain a secret message.</summary>
    public void Free()
    {
        if (Rented is null)
            return;
        Rented.AsSpan(0, Body.Length).Clear();
        ArrayPool<byte>.Shared.Return(Rented);
    }
}
