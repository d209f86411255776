using System;
using K4os.Compression.LZ4;

namespace Reloaded.Messaging.Compression.K4os;

/// <summary>LZ4 blocks, through K4os.Compression.LZ4: managed code, for where there is no liblz4.</summary>
/// <remarks>
/// The same format under the same name as the compressor on liblz4: one end may use this one and the other end that one. A bare block,
/// without LZ4's frame: the size is in the message's header. Any thread, at once. Allocates nothing; takes 16 KiB of stack to compress.
/// </remarks>
public sealed class K4osCompressor : IMessageCompressor
{
    private const int LargestInput = 0x7E000000; // LZ4_MAX_INPUT_SIZE of lz4.h
    private const byte EmptyBlock = 0; // a token that says: no literals, and nothing behind them

    /// <inheritdoc/>
    public string Name => "lz4";

    /// <inheritdoc/>
    public int GetMaxCompressedSize(int size)
    {
        if (size is < 0 or > LargestInput)
            throw new ArgumentOutOfRangeException(nameof(size), size, $"An LZ4 block holds 0 to {LargestInput} bytes.");
        return LZ4Codec.MaximumOutputSize(size);
    }

    /// <inheritdoc/>
    public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written)
    {
        if (source.IsEmpty)
            return TryCompressNothing(destination, out written);
        written = Math.Max(LZ4Codec.Encode(source, destination), 0); // -1 when it does not fit
        return written > 0;
    }

    /// <inheritdoc/>
    public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        // The codec has one answer for a block of nothing and for a malformed one.
        if (destination.IsEmpty)
            return source.Length == 1 && source[0] == EmptyBlock;

        // A match at offset 0 is malformed. liblz4 reads it as zeros; 1.3.8 of the codec copies what the destination holds onto itself, and
        // that is another message's bytes.
        destination.Clear();
        return LZ4Codec.Decode(source, destination) == destination.Length; // fails when input is left over
    }

    /// <summary>The codec makes no block of nothing, and liblz4 does.</summary>
    private static bool TryCompressNothing(Span<byte> destination, out int written)
    {
        written = destination.IsEmpty ? 0 : 1;
        if (written > 0)
            destination[0] = EmptyBlock;
        return written > 0;
    }
}
