using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>Sends a struct as its memory, little-endian and without padding: the fastest format.</summary>
/// <typeparam name="T">
/// A struct of fixed-size numbers, characters, enums, <see cref="Guid"/> and structs of those, with the same layout in every process.
/// A struct without fields has an empty payload.
/// </typeparam>
/// <remarks>
/// All bytes are valid values: check enums and ranges in the handler. A payload of another size is refused, so a new field needs a new
/// <see cref="MessageContract.Version"/>, unless the serializer knows the ends of the fields, as for types with
/// <see cref="MessageAttribute"/>.
/// </remarks>
public sealed class BlittableSerializer<
    [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.NonPublicFields)] T>
    : IMessageSerializer<T>, IBlittableSerializer
    where T : unmanaged
{
    private readonly int _size;
    private readonly int[]? _fieldEnds;

    /// <summary>Creates a serializer, and checks that <typeparamref name="T"/> has the same layout in every process.</summary>
    /// <exception cref="NotSupportedException">
    /// Thrown when the struct has padding (which would send unrelated memory), a pointer, nint, bool, decimal, a vector or an automatic layout; the message
    /// names the field. Also thrown on a big-endian machine.
    /// </exception>
    public BlittableSerializer()
    {
        CheckEndianness();
        _size = BlittableLayout.Check(typeof(T), Unsafe.SizeOf<T>());
    }

    /// <summary>Creates a serializer that also reads payloads with fewer fields, whose missing fields are zero, and with more fields, which are skipped. Called by generated code.</summary>
    /// <remarks>The generator has checked the layout, so this constructor uses no reflection. A natively compiled program has no metadata for such a check.</remarks>
    /// <param name="fieldEnds">The end of each field in the struct, in bytes, ascending; the last is the size of the struct. The array is kept.</param>
    /// <exception cref="NotSupportedException">
    /// Thrown when the struct has another size than the last end, because an assembly with a nested struct was replaced after the compilation. Also thrown on a big-endian machine.
    /// </exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public BlittableSerializer(int[] fieldEnds)
    {
        ArgumentNullException.ThrowIfNull(fieldEnds);
        CheckEndianness();
        _size = Unsafe.SizeOf<T>();
        if (fieldEnds is not [.., var end] || end != _size)
            throw new NotSupportedException($"{typeof(T)} is {_size} bytes; the generated serializer expects {(fieldEnds is [.., var last] ? last : 0)}. Compile the assembly of {typeof(T)} again, with the same versions of its references as at run time.");
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

    private static void CheckEndianness()
    {
        if (!BitConverter.IsLittleEndian)
            throw new NotSupportedException($"{typeof(T)} is sent as its memory, which is little-endian on the wire and big-endian on this machine. Use a generated or JSON serializer.");
    }
}

/// <summary>Marks a serializer whose payload is the memory of the struct, so that callers may copy it without a call.</summary>
internal interface IBlittableSerializer
{
    /// <summary>The size of the payload, in bytes; 0 for a struct without fields.</summary>
    int FixedSize { get; }
}
