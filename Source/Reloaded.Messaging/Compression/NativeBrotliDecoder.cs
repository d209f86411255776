using System.IO.Compression;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>Calls the framework's Brotli library directly. It reports the used size of the source, and no managed memory is allocated.</summary>
/// <remarks>The framework does not guarantee these functions. They are looked up once; where they are missing (Native AOT), the caller uses the public decoder.</remarks>
internal static unsafe class NativeBrotliDecoder
{
    private static readonly nint s_library = Load();
    private static readonly nint s_create = Export("BrotliDecoderCreateInstance");
    private static readonly nint s_decompress = Export("BrotliDecoderDecompressStream");
    private static readonly nint s_destroy = Export("BrotliDecoderDestroyInstance");

    /// <summary>Whether the functions were found.</summary>
    public static readonly bool IsAvailable = s_create != 0 && s_decompress != 0 && s_destroy != 0;

    /// <returns><see langword="true"/> if the whole source is one stream that fills the whole destination; otherwise, <see langword="false"/>.</returns>
    /// <exception cref="InsufficientMemoryException">Thrown when the library gets no memory for its state.</exception>
    public static bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        var state = ((delegate* unmanaged<nint, nint, nint, nint>)s_create)(0, 0, 0);
        if (state == 0)
            throw new InsufficientMemoryException("The Brotli library got no memory for the state of a decoder.");

        try
        {
            fixed (byte* input = source, output = destination)
            {
                var (sourceLeft, destinationLeft) = ((nuint)source.Length, (nuint)destination.Length);
                var nextInput = input;
                var nextOutput = output;
                var result = ((delegate* unmanaged<nint, nuint*, byte**, nuint*, byte**, nuint*, int>)s_decompress)(
                    state,
                    &sourceLeft,
                    &nextInput,
                    &destinationLeft,
                    &nextOutput,
                    null);
                return result == 1 && sourceLeft == 0 && destinationLeft == 0; // BROTLI_DECODER_RESULT_SUCCESS
            }
        }
        finally
        {
            ((delegate* unmanaged<nint, void>)s_destroy)(state);
        }
    }

    private static nint Load()
    {
        var name = OperatingSystem.IsWindows() ? "System.IO.Compression.Native" : "libSystem.IO.Compression.Native";
        return NativeLibrary.TryLoad(name, typeof(BrotliDecoder).Assembly, null, out var library) ? library : 0;
    }

    private static nint Export(string name) => s_library != 0 && NativeLibrary.TryGetExport(s_library, name, out var address) ? address : 0;
}
