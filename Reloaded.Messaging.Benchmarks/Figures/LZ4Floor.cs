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

    public static long Decompress(byte[] source, byte[] destination, int count)
    {
        long sum = 0;
        fixed (byte* from = source)
        fixed (byte* to = destination)
        {
            for (var i = 0; i < count; i++)
                sum += LZ4_decompress_safe(from, to, source.Length, destination.Length);
        }

        return sum;
    }
}
