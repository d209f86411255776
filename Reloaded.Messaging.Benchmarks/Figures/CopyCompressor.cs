namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>Only copies, so that the cost of a compressed message is the cost of the library.</summary>
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
