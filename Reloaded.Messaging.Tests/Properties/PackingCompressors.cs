using System;
using Reloaded.Messaging.Compression.LZ4;
using Xunit;

namespace Reloaded.Messaging.Tests.Properties;

/// <summary>The compressors that packing is tried with, by name. All compress whatever they can; the copying one is sent though it grows.</summary>
public static class PackingCompressors
{
    public static TheoryData<string> Names { get; } = ["none", "brotli", "lz4", "copy"];

    internal static CompressionPolicy? Policy(string name) => name switch
    {
        "none" => null,
        "brotli" => new CompressionPolicy(new BrotliCompressor(), threshold: 0),
        "lz4" => new CompressionPolicy(new LZ4Compressor(), threshold: 0),
        "copy" => new CompressionPolicy(new CopyingCompressor(), threshold: 0) { EvenIfLarger = true },
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "not a compressor of these tests"),
    };
}
