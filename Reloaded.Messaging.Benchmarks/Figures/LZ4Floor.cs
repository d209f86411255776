using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>Calls liblz4 directly.</summary>
internal static unsafe partial class LZ4Floor
{
    private const string Library = "liblz4.so.1";

    [LibraryImport(Library)]
    internal static partial int LZ4_compress_default(byte* source, byte* destination, int sourceSize, int destinationCapacity);

    [LibraryImport(Library)]
    internal static partial int LZ4_decompress_safe(byte* source, byte* destination, int compressedSize, int destinationCapacity);

    public static long Compress(byte[] source, byte[] destination, int count)
    {
        long sum = 0;
        fixed (byte* from = source)
        fixed (byte* to = destination)
        {
            for (var i = 0; i < count; i++)
                sum += LZ4_compress_default(from, to, source.Length, destination.Length);
        }

        return sum;
    }

    /// <summary>Decompresses blocks in which no match has the offset 0.</summary>
    public static long Decompress(byte[] source, byte[] destination, int count)
    {
        long sum = 0;
        fixed (byte* from = source)
        fixed (byte* to = destination)
        {
            for (var i = 0; i < count; i++)
                sum += HasValidOffsets(from, from + source.Length) ? LZ4_decompress_safe(from, to, source.Length, destination.Length) : 0;
        }

        return sum;
    }

    private static bool HasValidOffsets(byte* at, byte* end)
    {
        while (at < end)
        {
            var token = *at++;
            if (!TrySkipLength(ref at, end, token >> 4, out var literals) || literals > end - at)
                return false;
            at += literals;
            if (at == end)
                return true; // the last sequence has no match
            if (end - at < sizeof(ushort) || (at[0] | at[1]) == 0)
                return false;
            at += sizeof(ushort);
            if (!TrySkipLength(ref at, end, token & 15, out _))
                return false;
        }

        return true;
    }

    /// <summary>Reads a length, which continues in the following bytes if the token has the value 15.</summary>
    private static bool TrySkipLength(ref byte* at, byte* end, int first, out long length)
    {
        length = first;
        if (first != 15)
            return true;
        byte next;
        do
        {
            if (at == end)
                return false;
            next = *at++;
            length += next;
        }
        while (next == byte.MaxValue);
        return true;
    }
}
