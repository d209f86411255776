using System;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Compression.LZ4;

/// <summary>The three calls of lz4.h that are used, and where the library is looked for.</summary>
internal static unsafe partial class LZ4Library
{
    private const string Library = "lz4";

    private static readonly string[] s_names = ["liblz4.so.1", "liblz4.1.dylib", "liblz4", "lz4"];

    private static readonly nint s_handle = Load(s_names);

    static LZ4Library() =>
        NativeLibrary.SetDllImportResolver(typeof(LZ4Library).Assembly, static (name, _, _) => name == Library ? s_handle : 0);

    /// <summary>Fails with one clear error where the library is missing.</summary>
    public static void EnsureLoaded()
    {
        if (s_handle == 0)
            throw Missing(s_names);
    }

    /// <summary>LZ4_compress_default: the bytes written, or 0 when they don't fit.</summary>
    [LibraryImport(Library, EntryPoint = "LZ4_compress_default")]
    public static partial int Compress(byte* source, byte* destination, int sourceSize, int destinationCapacity);

    /// <summary>LZ4_decompress_safe: the bytes written, or a negative number for a malformed block.</summary>
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
        new($"LZ4 compression needs the system's liblz4, and none of {string.Join(", ", names)} was found. " +
            "Install it (Debian and Ubuntu: liblz4-1; Fedora: lz4-libs; Homebrew: lz4; Windows: liblz4.dll beside the program), or use BrotliCompressor, which needs nothing.");
}
