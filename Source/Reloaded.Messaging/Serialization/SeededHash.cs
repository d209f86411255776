using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>A hash of bytes that is another one in each process: who sends the bytes can't tell which of them collide.</summary>
/// <remarks>
/// Folded multiplication: 16 bytes a step, each half masked, the upper half of the 128-bit product added to the lower by xor. A plain
/// multiplication by a secret doesn't do: two words that differ in their topmost bit differ so afterwards, whatever the secret is.
/// For tables in memory: not cryptographic, and different on machines of different byte order.
/// </remarks>
internal static class SeededHash
{
    private static readonly ulong s_first = Secret();
    private static readonly ulong s_second = Secret();

    /// <summary>The hash of <paramref name="bytes"/>, of which there is at least one.</summary>
    public static ulong Of(ReadOnlySpan<byte> bytes)
    {
        ref var start = ref MemoryMarshal.GetReference(bytes);
        var length = (nint)(uint)bytes.Length;
        var state = s_first ^ (ulong)length;
        if (length < 4)
            return Fold((start | ((ulong)At(ref start, length >> 1) << 8) | ((ulong)At(ref start, length - 1) << 16)) ^ s_second, state);
        if (length < 8)
            return Fold(Read<uint>(ref start, 0) ^ s_second, ((ulong)Read<uint>(ref start, length - 4) << 8) ^ state);

        // The last 16 bytes (or 8 and 8, which overlap) are always a step of their own: so no length leaves a rest to read byte by byte.
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
