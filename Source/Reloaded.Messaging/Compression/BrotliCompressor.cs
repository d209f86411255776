using System;
using System.IO.Compression;

namespace Reloaded.Messaging;

/// <summary>Brotli (RFC 7932), through the base class library. Smaller than LZ4, several times slower, and there on every system.</summary>
/// <remarks>Allocates nothing managed.</remarks>
public sealed class BrotliCompressor : IMessageCompressor
{
    private readonly int _quality;
    private readonly int _window;

    /// <summary>Compresses with the given effort.</summary>
    /// <param name="quality">0, the fastest, to 11, the smallest; from 10 on it takes tens of times longer.</param>
    /// <param name="window">How far back repetitions are found, as a power of two: 10 (1 KiB) to 24 (16 MiB).</param>
    public BrotliCompressor(int quality = 1, int window = 18)
    {
        _quality = Guard.Between(0, 11, quality, nameof(quality));
        _window = Guard.Between(10, 24, window, nameof(window));
    }

    /// <inheritdoc/>
    public string Name => "brotli";

    /// <inheritdoc/>
    public int GetMaxCompressedSize(int size) => BrotliEncoder.GetMaxCompressedLength(size);

    /// <inheritdoc/>
    public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written) =>
        BrotliEncoder.TryCompress(source, destination, out written, _quality, _window);

    /// <inheritdoc/>
    public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        // The public decoder of one call ignores what follows the stream, and the one that says how much it used allocates for each message.
        if (NativeBrotliDecoder.IsAvailable)
            return NativeBrotliDecoder.TryDecompress(source, destination);
        return TryDecompressTwice(source, destination);
    }

    internal static bool TryDecompressTwice(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        if (!BrotliDecoder.TryDecompress(source, destination, out var written) || written != destination.Length)
            return false;

        // The stream's last byte holds bits of the stream, so the stream cannot end without that byte. If it still does, there was a byte too many.
        return !BrotliDecoder.TryDecompress(source.Slice(0, source.Length - 1), destination, out _);
    }
}
