using System.Buffers.Binary;

namespace Reloaded.Messaging.Compression.LZ4;

/// <summary>The limits of an LZ4 block, and the part of the format that decoders do not check.</summary>
/// <remarks>
/// A block is a list of sequences: a token, the literals, and a match, which is a copy of earlier output at an offset. The format says that the offset 0
/// is invalid. liblz4 accepts it and writes zeros; K4os.Compression.LZ4 accepts it and writes the previous contents of the destination.
/// </remarks>
internal static class LZ4Block
{
    private const int LargestInput = 0x7E000000; // LZ4_MAX_INPUT_SIZE of lz4.h
    private const int LengthBits = 4;
    private const int LongLength = 15; // the length continues in the following bytes
    private const int OffsetSize = sizeof(ushort);

    /// <summary>Returns the largest size of the block for a payload.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when a block cannot have an input of the size.</exception>
    public static int GetMaxSize(int size)
    {
        if (size is < 0 or > LargestInput)
            throw new ArgumentOutOfRangeException(nameof(size), size, $"The size of the input of an LZ4 block must be in the range 0 to {LargestInput} bytes.");
        return size + (size / 255) + 16; // LZ4_COMPRESSBOUND of lz4.h
    }

    /// <summary>Whether no match of the block has the offset 0. The remaining format is left to the decoder.</summary>
    /// <returns><c>false</c> if a match has the offset 0, or if the block ends inside of a sequence; otherwise, <c>true</c>.</returns>
    public static bool HasValidOffsets(ReadOnlySpan<byte> block)
    {
        for (var at = 0; at < block.Length;)
        {
            int token = block[at++];
            if (!TryReadLength(block, ref at, token >> LengthBits, out var literals) || literals > block.Length - at)
                return false;
            at += literals;
            if (at == block.Length)
                return true; // the last sequence has no match
            if (block.Length - at < OffsetSize || BinaryPrimitives.ReadUInt16LittleEndian(block.Slice(at)) == 0)
                return false;
            at += OffsetSize;
            if (!TryReadLength(block, ref at, token & LongLength, out _))
                return false;
        }

        return true; // an empty block, or one that ends after a match; the decoder refuses it
    }

    private static bool TryReadLength(ReadOnlySpan<byte> block, ref int at, int first, out int length)
    {
        length = first;
        if (first != LongLength)
            return true;
        int next;
        do
        {
            if (at == block.Length)
                return false;
            next = block[at++];
            length = Math.Min(length + next, block.Length); // no literals are longer than the block
        }
        while (next == byte.MaxValue);
        return true;
    }
}
