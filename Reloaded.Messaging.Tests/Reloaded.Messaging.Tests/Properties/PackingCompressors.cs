using Reloaded.Messaging.Compression.LZ4;
using Xunit;

namespace Reloaded.Messaging.Tests.Properties;

/// <summary>The compressors that packing is tried with, by name. All compress whatever they can; the copying one is sent though it grows.</summary>
public static class PackingCompressors
{
    public static TheoryData<string> Names { get; } = ["none", "brotli", "lz4", "copy"];

    internal static CompressionOptions? Policy(string name) => name switch
    {
        "none" => null,
        "brotli" => new CompressionOptions(new BrotliCompressor(), threshold: 0),
        "lz4" => new CompressionOptions(new LZ4Compressor(), threshold: 0),
        "copy" => new CompressionOptions(new CopyingCompressor(), threshold: 0, evenIfLarger: true),
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "not a compressor of these tests"),
    };
}
