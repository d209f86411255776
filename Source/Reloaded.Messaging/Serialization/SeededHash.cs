using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>A hash of bytes with a random seed per process, so that a sender cannot choose colliding bytes.</summary>
/// <remarks>
/// Folded multiplication: 16 bytes per step, each half masked, the upper half of the 128-bit product combined with the lower by xor. A plain
/// multiplication by a secret is not enough: two words that differ in their topmost bit would differ in it afterwards, with any secret.
/// For tables in memory: not cryptographic, and different on machines of different byte order.
/// </remarks>
internal static class SeededHash
{
    private static readonly ulong s_first = Secret();
    private static readonly ulong s_second = Secret();

    /// <summary>Returns the hash of <paramref name="bytes"/>, which must not be empty.</summary>
    public static ulong Of(ReadOnlySpan<byte> bytes)
    {
        ref var start = ref MemoryMarshal.GetReference(bytes);
        var length = (nint)(uint)bytes.Length;
        var state = s_first ^ (ulong)length;
        if (length < 4)
            return Fold((start | ((ulong)At(ref start, length >> 1) << 8) | ((ulong)At(ref start, length - 1) << 16)) ^ s_second, state);
        if (length < 8)
            return Fold(Read<uint>(ref start, 0) ^ s_second, ((ulong)Read<uint>(ref start, length - 4) << 8) ^ state);

        // The last 16 bytes (or two overlapping groups of 8) are always a separate step, so that no rest is read byte by byte.
        for (nint i = 0; i < length - 16; i += 16)
            state = Fold(Read<ulong>(ref start, i) ^ s_second, Read<ulong>(ref start, i + 8) ^ state);
        return Fold(Read<ulong>(ref start, length < 16 ? 0 : length - 16) ^ s_second, Read<ulong>(ref start, length - 8) ^ state);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Fold(ulong left, ulong right)
    {
        var high = Math.BigMul(left, right, out var low);
        return high ^ low;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte At(ref byte start, nint index) => Unsafe.Add(ref start, index);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static T Read<T>(ref byte start, nint index)
        where T : unmanaged => Unsafe.ReadUnaligned<T>(ref Unsafe.Add(ref start, index));

    private static ulong Secret()
    {
        Span<byte> bytes = stackalloc byte[sizeof(ulong)];
        RandomNumberGenerator.Fill(bytes);
        return MemoryMarshal.Read<ulong>(bytes);
    }
}
