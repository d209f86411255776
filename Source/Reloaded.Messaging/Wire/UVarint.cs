using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Wire;

/// <summary>Unsigned LEB128 integers of 32 bits, in their shortest form only.</summary>
/// <remarks>Seven bits per byte, lowest first. Bit 7 is set if another byte follows. 300 is <c>AC 02</c>. At most <see cref="MaxSize"/> bytes.</remarks>
public static class UVarint
{
    /// <summary>The maximum size of an encoded value, in bytes.</summary>
    public const int MaxSize = 5;

    /// <summary>Returns the size of <paramref name="value"/>, in bytes (1–5).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int SizeOf(uint value) => value switch
    {
        < 1u << 7 => 1,
        < 1u << 14 => 2,
        < 1u << 21 => 3,
        < 1u << 28 => 4,
        _ => 5,
    };

    /// <summary>Writes <paramref name="value"/> to the start of <paramref name="destination"/>.</summary>
    /// <returns>The number of bytes written: <see cref="SizeOf"/> of the value.</returns>
    /// <exception cref="IndexOutOfRangeException">Thrown when the destination is shorter than that.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Write(Span<byte> destination, uint value)
    {
        if (value >= 0x80)
            return WriteLong(destination, value);
        destination[0] = (byte)value;
        return 1;
    }

    /// <summary>Reads one value from the start of <paramref name="source"/>.</summary>
    /// <param name="source">Untrusted bytes. No byte after the value is read.</param>
    /// <param name="value">The value, or 0.</param>
    /// <param name="size">The size of the value, in bytes, or 0.</param>
    /// <returns><see cref="HeaderStatus.Ok"/>, <see cref="HeaderStatus.Truncated"/> or <see cref="HeaderStatus.BadVarint"/>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static HeaderStatus TryRead(ReadOnlySpan<byte> source, out uint value, out int size)
    {
        if (source.IsEmpty || source[0] >= 0x80)
            return TryReadLong(source, out value, out size);
        value = source[0];
        size = 1;
        return HeaderStatus.Ok;
    }

    private static int WriteLong(Span<byte> destination, uint value)
    {
        var i = 0;
        while (value >= 0x80)
        {
            destination[i++] = (byte)(value | 0x80);
            value >>= 7;
        }

        destination[i++] = (byte)value;
        return i;
    }

    private static HeaderStatus TryReadLong(ReadOnlySpan<byte> source, out uint value, out int size)
    {
        value = 0;
        size = 0;
        uint result = 0;
        for (var i = 0; i < source.Length; i++)
        {
            uint part = source[i];
            if (i == MaxSize - 1 && part > 0x0F)
                return HeaderStatus.BadVarint; // a sixth byte, or a bit above 2^32-1

            result |= (part & 0x7F) << (7 * i);
            if (part >= 0x80)
                continue;

            if (part == 0 && i > 0)
                return HeaderStatus.BadVarint; // a shorter form exists

            value = result;
            size = i + 1;
            return HeaderStatus.Ok;
        }

        return HeaderStatus.Truncated;
    }
}
