using System;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>Only copies: what is left of a compressed message's cost is the library's.</summary>
public sealed class CopyCompressor : IMessageCompressor
{
    public string Name => "copy";

    public int GetMaxCompressedSize(int size) => size;

    public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written)
    {
        written = source.Length;
        return source.TryCopyTo(destination);
    }

    public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        if (source.Length != destination.Length)
            return false;
        source.CopyTo(destination);
        return true;
    }
}
