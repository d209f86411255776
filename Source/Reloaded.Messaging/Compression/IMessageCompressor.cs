namespace Reloaded.Messaging;

/// <summary>Compresses payloads. Implement it to use an algorithm of your own.</summary>
/// <remarks>One instance serves all threads concurrently: keep no state between calls.</remarks>
public interface IMessageCompressor
{
    /// <summary>The name of the format, such as "brotli". Schemas and clients in other languages know the format by it.</summary>
    /// <remarks>The compiler reads the name for a schema from a public constant <c>FormatName</c> of the class, or from a literal that this property returns in the source of the same project.</remarks>
    string Name { get; }

    /// <summary>Returns the maximum compressed size of <paramref name="size"/> bytes.</summary>
    /// <param name="size">The size of a payload, in bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the size is negative, or larger than the format supports.</exception>
    int GetMaxCompressedSize(int size);

    /// <summary>Compresses a payload.</summary>
    /// <param name="source">The payload.</param>
    /// <param name="destination">The destination, which may be too short for the result.</param>
    /// <param name="written">The size of the result, in bytes, or 0.</param>
    /// <returns><c>false</c> if the result does not fit; otherwise, <c>true</c>.</returns>
    bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written);

    /// <summary>Decompresses a payload.</summary>
    /// <param name="source">Untrusted bytes.</param>
    /// <param name="destination">The destination, which has the declared size of the payload. It contains stale memory before the call and after a failed call.</param>
    /// <returns><c>true</c> only if the whole source was used and the whole destination was written. Bad bytes never throw.</returns>
    bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination);
}

/// <summary>The bound <see cref="IMessageCompressor.TryCompress"/> of a compressor.</summary>
internal delegate bool CompressCall(ReadOnlySpan<byte> source, Span<byte> destination, out int written);
