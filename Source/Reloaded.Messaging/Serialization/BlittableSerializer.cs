using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>Sends a struct as its own bytes, little-endian, with nothing in between: the fastest format there is.</summary>
/// <typeparam name="T">
/// A struct of fixed-width numbers, characters, enums, <see cref="Guid"/> and structs of those, laid out the same in every process.
/// A struct without fields is an empty payload.
/// </typeparam>
/// <remarks>
/// Bytes of any value are valid: check enums and ranges in the handler. Fields can't be added without a new
/// <see cref="MessageContract.Version"/>, since a payload of another size is refused; unless the serializer knows where fields end,
/// as those of <see cref="MessageAttribute"/> do.
/// </remarks>
public sealed class BlittableSerializer<
    [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.NonPublicFields)] T>
    : IMessageSerializer<T>, IBlittableSerializer
    where T : unmanaged
{
    private readonly int _size;
    private readonly int[]? _fieldEnds;

    /// <summary>Checks that <typeparamref name="T"/> has one layout everywhere.</summary>
    /// <exception cref="NotSupportedException">
    /// It has padding (which would send stale memory), a pointer, nint, bool, decimal, a vector or an automatic layout; the message names the field.
    /// Or this machine is big-endian.
    /// </exception>
    public BlittableSerializer()
    {
        if (!BitConverter.IsLittleEndian)
            throw new NotSupportedException($"{typeof(T)} is sent as its own bytes, which are little-endian on the wire and not on this machine.");
        _size = BlittableLayout.Check(typeof(T), Unsafe.SizeOf<T>());
    }

    /// <summary>Also reads payloads of senders that know fewer fields, whose others then are zero, or more, which are passed over. Made by generated code.</summary>
    /// <param name="fieldEnds">For each field where it ends in the struct, in bytes, ascending; kept.</param>
    /// <inheritdoc cref="BlittableSerializer{T}()"/>
    public BlittableSerializer(int[] fieldEnds)
        : this()
    {
        ArgumentNullException.ThrowIfNull(fieldEnds);
        _fieldEnds = fieldEnds;
    }

    /// <inheritdoc/>
    public string Name => _fieldEnds is null ? "blittable" : "binary";

    int IBlittableSerializer.FixedSize => _size;

    /// <inheritdoc/>
    public void Serialize(in T value, MessageBuffer buffer)
    {
        if (_size != 0)
            buffer.Append(in value);
    }

    /// <inheritdoc/>
    public bool TryDeserialize(ReadOnlySpan<byte> payload, out T value)
    {
        value = default;
        if (payload.Length != _size)
            return TryDeserializeOther(payload, out value);
        if (_size != 0)
            value = MemoryMarshal.Read<T>(payload);
        return true;
    }

    private bool TryDeserializeOther(ReadOnlySpan<byte> payload, out T value)
    {
        value = default;
        if (_fieldEnds is null || (payload.Length < _size && payload.Length > 0 && Array.BinarySearch(_fieldEnds, payload.Length) < 0))
            return false;
        var known = payload.Slice(0, Math.Min(payload.Length, _size));
        known.CopyTo(MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref value, 1)));
        return true;
    }
}
