using System;

namespace Reloaded.Messaging.Compression.LZ4;

/// <summary>LZ4 blocks, through the system's liblz4. Faster than anything else here, by far the most so at decompressing.</summary>
/// <remarks>
/// A bare block, without LZ4's frame: the size is in the message's header. Needs the native library: package <c>liblz4-1</c> on Debian and
/// Ubuntu, <c>lz4-libs</c> on Fedora, <c>lz4</c> in Homebrew; on Windows, <c>liblz4.dll</c> of the lz4 release beside the program.
/// Allocates nothing.
/// </remarks>
public sealed unsafe class LZ4Compressor : IMessageCompressor
{
    private const int LargestInput = 0x7E000000; // LZ4_MAX_INPUT_SIZE of lz4.h

    /// <summary>Makes a compressor.</summary>
    /// <exception cref="DllNotFoundException">The system has no liblz4; the message says where to get it.</exception>
    public LZ4Compressor() => LZ4Library.EnsureLoaded();

    /// <inheritdoc/>
    public string Name => "lz4";

    /// <inheritdoc/>
    public int GetMaxCompressedSize(int size)
    {
        if (size is < 0 or > LargestInput)
            throw new ArgumentOutOfRangeException(nameof(size), size, $"An LZ4 block holds 0 to {LargestInput} bytes.");
        return (int)Math.Min((long)size + (size / 255) + 16, int.MaxValue); // LZ4_COMPRESSBOUND of lz4.h
    }

    /// <inheritdoc/>
    public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written)
    {
        fixed (byte* from = source)
        fixed (byte* to = destination)
            written = LZ4Library.Compress(from, to, source.Length, destination.Length);
        return written > 0;
    }

    /// <inheritdoc/>
    public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        // LZ4_decompress_safe never reads or writes outside of what it is given, and fails when input is left over.
        fixed (byte* from = source)
        fixed (byte* to = destination)
            return LZ4Library.Decompress(from, to, source.Length, destination.Length) == destination.Length;
    }
}
