using System.IO.Compression;

namespace Reloaded.Messaging;

/// <summary>Brotli (RFC 7932) of the base class library. Smaller results than LZ4, several times slower, and available on every system.</summary>
/// <remarks>Allocates no managed memory.</remarks>
public sealed class BrotliCompressor : IMessageCompressor
{
    /// <summary>The <see cref="Name"/>.</summary>
    public const string FormatName = "brotli";

    private readonly int _quality;
    private readonly int _window;

    /// <summary>Creates a compressor.</summary>
    /// <param name="quality">The quality, from 0 (fastest) to 11 (smallest). From 10 on, compression takes tens of times longer.</param>
    /// <param name="window">The window size as a power of two, from 10 (1 KiB) to 24 (16 MiB).</param>
    public BrotliCompressor(int quality = 1, int window = 18)
    {
        _quality = Guard.Between(0, 11, quality, nameof(quality));
        _window = Guard.Between(10, 24, window, nameof(window));
    }

    /// <inheritdoc/>
    public string Name => FormatName;

    /// <inheritdoc/>
    public int GetMaxCompressedSize(int size)
    {
        var max = BrotliEncoder.GetMaxCompressedLength(size);
        return (int)Math.Min(Math.Max(max, size + 6L + (4 * (size >> 14))), int.MaxValue); // .NET 8 returns 2 bytes too few for 300,000 random bytes; .NET 10 returns at least the sum
    }

    /// <inheritdoc/>
    public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written) =>
        BrotliEncoder.TryCompress(source, destination, out written, _quality, _window);

    /// <inheritdoc/>
    public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination) =>
        NativeBrotliDecoder.IsAvailable ? NativeBrotliDecoder.TryDecompress(source, destination) : TryDecompressTwice(source, destination);

    // The public one-call decoder ignores bytes after the stream, and the decoder that reports the used size allocates for each message.
    internal static bool TryDecompressTwice(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        if (!BrotliDecoder.TryDecompress(source, destination, out var written) || written != destination.Length)
            return false;

        // The last byte of the stream holds bits of the stream, so the stream cannot end without it. If it still does, there was a surplus byte.
        return !BrotliDecoder.TryDecompress(source.Slice(0, source.Length - 1), destination, out _);
    }
}
