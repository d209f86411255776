namespace Reloaded.Messaging.Tests.Properties;

/// <summary>A compressor of a user's own, and a bad one: a mark and the bytes as they are, so always one byte more.</summary>
internal sealed class CopyingCompressor : IMessageCompressor
{
    private const byte Mark = 0xC0;

    public string Name => "copy";

    public int GetMaxCompressedSize(int size) => size + 1;

    public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written)
    {
        written = 0;
        if (destination.Length <= source.Length)
            return false;

        destination[0] = Mark;
        source.CopyTo(destination.Slice(1));
        written = source.Length + 1;
        return true;
    }

    public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        if (source.Length != destination.Length + 1 || source[0] != Mark)
            return false;
        source.Slice(1).CopyTo(destination);
        return true;
    }
}
