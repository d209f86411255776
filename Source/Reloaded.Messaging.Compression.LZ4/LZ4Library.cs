using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Compression.LZ4;

/// <summary>The functions of lz4.h that are used, and the search for the native library.</summary>
internal static unsafe partial class LZ4Library
{
    private const string Library = "lz4";

    private static readonly string[] s_names = ["liblz4.so.1", "liblz4.1.dylib", "liblz4", "lz4"];

    private static readonly nint s_handle = Load(s_names);

    static LZ4Library() =>
        NativeLibrary.SetDllImportResolver(typeof(LZ4Library).Assembly, static (name, _, _) => name == Library ? s_handle : 0);

    /// <summary>Throws an exception that names the missing library.</summary>
    public static void EnsureLoaded()
    {
        if (s_handle == 0)
            throw Missing(s_names);
    }

    /// <summary>LZ4_compress_default. Returns the number of bytes written, or 0 if they do not fit.</summary>
    [LibraryImport(Library, EntryPoint = "LZ4_compress_default")]
    public static partial int Compress(byte* source, byte* destination, int sourceSize, int destinationCapacity);

    /// <summary>LZ4_decompress_safe. Returns the number of bytes written, or a negative number for a malformed block.</summary>
    [LibraryImport(Library, EntryPoint = "LZ4_decompress_safe")]
    public static partial int Decompress(byte* source, byte* destination, int compressedSize, int destinationCapacity);

    internal static nint Load(string[] names)
    {
        foreach (var name in names)
        {
            if (NativeLibrary.TryLoad(name, typeof(LZ4Library).Assembly, null, out var handle))
                return handle;
        }

        return 0;
    }

    internal static DllNotFoundException Missing(string[] names) =>
        new($"The native library liblz4, which NativeLZ4Compressor needs, was not found. The names tried are {string.Join(", ", names)}. " +
            "Install it (Debian and Ubuntu: liblz4-1; Fedora: lz4-libs; Homebrew: lz4; Windows: liblz4.dll in the program's folder), or use LZ4Compressor, which has the same format and needs no native library.");
}
