using System;
using K4os.Compression.LZ4;
using Reloaded.Messaging.Compression.LZ4;

namespace Reloaded.Messaging.Compression.K4os;

/// <summary>Compresses with LZ4 blocks, through K4os.Compression.LZ4. This is managed code, for systems without liblz4.</summary>
/// <remarks>
/// Format and name are those of the compressor that uses liblz4, so the two sides may use different compressors. A payload is one LZ4 block without
/// LZ4's frame, because the message's header contains the decompressed size. Thread-safe. Calls do not allocate. Compressing uses 16 KiB of stack.
/// </remarks>
public sealed class K4osCompressor : IMessageCompressor
{
    /// <summary>The <see cref="Name"/>.</summary>
    public const string FormatName = "lz4";

    private const int LargestInput = 0x7E000000; // LZ4_MAX_INPUT_SIZE of lz4.h
    private const byte EmptyBlock = 0; // a token without literals and without a match

    /// <inheritdoc/>
    public string Name => FormatName;

    /// <inheritdoc/>
    public int GetMaxCompressedSize(int size)
    {
        if (size is < 0 or > LargestInput)
            throw new ArgumentOutOfRangeException(nameof(size), size, $"The size of the input of an LZ4 block must be in the range 0 to {LargestInput} bytes.");
        return LZ4Codec.MaximumOutputSize(size);
    }

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
