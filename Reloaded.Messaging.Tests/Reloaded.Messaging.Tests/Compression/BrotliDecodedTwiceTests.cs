namespace Reloaded.Messaging.Tests.Compression;

/// <summary>The decoder of Brotli for runtimes whose own Brotli library cannot be called directly.</summary>
public sealed class BrotliDecodedTwiceTests : CompressorContractTests
{
    protected override IMessageCompressor Compressor { get; } = new DecodedTwice();

    private sealed class DecodedTwice : IMessageCompressor
    {
        private readonly BrotliCompressor _inner = new();

        public string Name => _inner.Name;

        public int GetMaxCompressedSize(int size) => _inner.GetMaxCompressedSize(size);

        public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written) => _inner.TryCompress(source, destination, out written);

        public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination) => BrotliCompressor.TryDecompressTwice(source, destination);
    }
}
