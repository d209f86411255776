using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Reloaded.Messaging;

/// <summary>Converts ASCII text of 8 to 32 characters, as most names and identifiers are, without a call.</summary>
/// <remarks>
/// The methods of the runtime handle any length, and need twice the time for such text. Here, the first and the last block are converted, and overlap
/// if the text is shorter than both together.
/// </remarks>
internal static class ShortAscii
{
    private const int MinLength = 8;
    private const int MaxLength = 32;
    private const int Block = 16;
    private const ushort NonAscii = 0xFF80;

    /// <summary>Converts bytes to characters.</summary>
    /// <param name="source">The bytes.</param>
    /// <param name="destination">Receives the characters, and is as long as <paramref name="source"/>.</param>
    /// <returns><c>false</c> if the text has another length, or is not ASCII; the destination is then undefined. Otherwise, <c>true</c>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryWiden(ReadOnlySpan<byte> source, Span<char> destination)
    {
        var length = source.Length;
        if ((uint)(length - MinLength) > MaxLength - MinLength || destination.Length != length)
            return false;

        ref var from = ref MemoryMarshal.GetReference(source);
        ref var to = ref Unsafe.As<char, ushort>(ref MemoryMarshal.GetReference(destination));
        if (length < Block)
        {
            var last = (nuint)(length - MinLength);
            var (start, end) = (Vector64.LoadUnsafe(ref from), Vector64.LoadUnsafe(ref from, last));
            Vector128.WidenLower(start.ToVector128Unsafe()).StoreUnsafe(ref to);
            Vector128.WidenLower(end.ToVector128Unsafe()).StoreUnsafe(ref to, last);
            return (start | end).ExtractMostSignificantBits() == 0;
        }
        else
        {
            var last = (nuint)(length - Block);
            var (start, end) = (Vector128.LoadUnsafe(ref from), Vector128.LoadUnsafe(ref from, last));
            Vector128.WidenLower(start).StoreUnsafe(ref to);
            Vector128.WidenUpper(start).StoreUnsafe(ref to, Block / 2);
            Vector128.WidenLower(end).StoreUnsafe(ref to, last);
            Vector128.WidenUpper(end).StoreUnsafe(ref to, last + (Block / 2));
            return (start | end).ExtractMostSignificantBits() == 0;
        }
    }

    /// <summary>Converts characters to bytes.</summary>
    /// <param name="source">The characters.</param>
    /// <param name="destination">Receives the bytes, and is at least as long as <paramref name="source"/>.</param>
    /// <inheritdoc cref="TryWiden" path="/returns"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryNarrow(ReadOnlySpan<char> source, Span<byte> destination)
    {
        var length = source.Length;
        if ((uint)(length - MinLength) > MaxLength - MinLength || destination.Length < length)
            return false;

        ref var from = ref Unsafe.As<char, ushort>(ref MemoryMarshal.GetReference(source));
        ref var to = ref MemoryMarshal.GetReference(destination);
        if (length < Block)
        {
            var last = (nuint)(length - MinLength);
            var (start, end) = (Vector128.LoadUnsafe(ref from), Vector128.LoadUnsafe(ref from, last));
            Vector128.Narrow(start, start).GetLower().StoreUnsafe(ref to);
            Vector128.Narrow(end, end).GetLower().StoreUnsafe(ref to, last);
            return ((start | end) & Vector128.Create(NonAscii)) == Vector128<ushort>.Zero;
        }
        else
        {
            var last = (nuint)(length - Block);
            var (start, afterStart) = (Vector128.LoadUnsafe(ref from), Vector128.LoadUnsafe(ref from, Block / 2));
            var (beforeEnd, end) = (Vector128.LoadUnsafe(ref from, last), Vector128.LoadUnsafe(ref from, last + (Block / 2)));
            Vector128.Narrow(start, afterStart).StoreUnsafe(ref to);
            Vector128.Narrow(beforeEnd, end).StoreUnsafe(ref to, last);
            return ((start | afterStart | beforeEnd | end) & Vector128.Create(NonAscii)) == Vector128<ushort>.Zero;
        }
    }
}
