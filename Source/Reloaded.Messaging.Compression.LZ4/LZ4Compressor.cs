using K4os.Compression.LZ4;

namespace Reloaded.Messaging.Compression.LZ4;

/// <summary>Compresses with LZ4 blocks, in managed code: through K4os.Compression.LZ4. Runs on every system.</summary>
/// <remarks>
/// Format and name are those of <see cref="NativeLZ4Compressor"/>, so the two sides may use different compressors. A payload is one LZ4 block without
/// LZ4's frame, because the message's header contains the decompressed size. Thread-safe. Calls do not allocate. Compressing uses 16 KiB of stack.
/// </remarks>
public sealed class LZ4Compressor : IMessageCompressor
{
    /// <summary>The <see cref="Name"/>.</summary>
    public const string FormatName = "lz4";

    private const byte EmptyBlock = 0; // a token without literals and without a match

    /// <inheritdoc/>
    public string Name => FormatName;

    /// <inheritdoc/>
    public int GetMaxCompressedSize(int size) => LZ4Block.GetMaxSize(size);

    /// <inheritdoc/>
    public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written)
    {
        if (source.IsEmpty)
            return TryCompressNothing(destination, out written);
        written = Math.Max(LZ4Codec.Encode(source, destination), 0); // Encode returns -1 if the block does not fit
        return written > 0;
    }

    /// <inheritdoc/>
    public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        // The codec returns the same value for an empty block and for a malformed one.
        if (destination.IsEmpty)
            return source.Length == 1 && source[0] == EmptyBlock;

        // The codec (1.3.8) accepts a match at offset 0, and copies the previous contents of the destination, which are the bytes of another message.
        return LZ4Block.HasValidOffsets(source) && LZ4Codec.Decode(source, destination) == destination.Length; // false if input is left over
    }

    /// <summary>Writes the block for an empty payload, because the codec cannot create it and liblz4 can.</summary>
    private static bool TryCompressNothing(Span<byte> destination, out int written)
    {
        written = destination.IsEmpty ? 0 : 1;
        if (written > 0)
            destination[0] = EmptyBlock;
        return written > 0;
    }
}
