using System;
using Reloaded.Messaging.Compression.LZ4;

namespace Reloaded.Messaging.Tool;

/// <summary>The compressors that the tool knows, by the names in a schema.</summary>
internal static class Compressors
{
    /// <returns>The compression of a contract; <c>null</c> for no compression.</returns>
    /// <exception cref="ToolException">Thrown when the tool does not know the compressor.</exception>
    public static CompressionOptions? Find(SchemaContract contract) => contract.Compressor switch
    {
        null => null,
        var name when name.EndsWith(nameof(BrotliCompressor), StringComparison.Ordinal) => new CompressionOptions(new BrotliCompressor()),
        var name when name.EndsWith(nameof(LZ4Compressor), StringComparison.Ordinal) => new CompressionOptions(new LZ4Compressor()),
        var name => throw ToolException.Invalid($"{contract.Name} is compressed by {name}; the tool knows BrotliCompressor and LZ4Compressor."),
    };
}
