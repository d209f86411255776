namespace Reloaded.Messaging.Compression.LZ4;

/// <summary>Compresses with LZ4 blocks, through the native library liblz4 of the system. Compresses about twice as fast as <see cref="LZ4Compressor"/>.</summary>
/// <remarks>
/// Format and name are those of <see cref="LZ4Compressor"/>, so the two sides may use different compressors. A payload is one LZ4 block without LZ4's frame, because the message's header contains the decompressed size. The native library is
/// required: package <c>liblz4-1</c> on Debian and Ubuntu, <c>lz4-libs</c> on Fedora, <c>lz4</c> in Homebrew; on Windows, <c>liblz4.dll</c>
/// from the LZ4 release, in the program's folder. Thread-safe. Calls do not allocate.
/// </remarks>
public sealed unsafe class NativeLZ4Compressor : IMessageCompressor
{
    /// <summary>The <see cref="Name"/>.</summary>
    public const string FormatName = LZ4Compressor.FormatName;

    /// <summary>Creates a compressor.</summary>
    /// <exception cref="DllNotFoundException">Thrown when the system has no liblz4. The message says how to install it.</exception>
    public NativeLZ4Compressor() => LZ4Library.EnsureLoaded();

    /// <inheritdoc/>
    public string Name => FormatName;

    /// <inheritdoc/>
    public int GetMaxCompressedSize(int size) => LZ4Block.GetMaxSize(size);

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
        // LZ4_decompress_safe accesses only the given memory. It fails if input is left over. It accepts a match at offset 0.
        if (!LZ4Block.HasValidOffsets(source))
            return false;
        fixed (byte* from = source)
        fixed (byte* to = destination)
            return LZ4Library.Decompress(from, to, source.Length, destination.Length) == destination.Length;
    }
}
