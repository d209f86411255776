using System;

namespace Reloaded.Messaging;

/// <summary>Makes payloads smaller. Implement it to bring an algorithm of your own.</summary>
/// <remarks>One instance serves every thread, at once: keep no state between calls.</remarks>
public interface IMessageCompressor
{
    /// <summary>The format's name, such as "brotli".</summary>
    string Name { get; }

    /// <summary>The most bytes that compressing <paramref name="size"/> bytes can take.</summary>
    /// <param name="size">The size of a payload, in bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is negative, or larger than the format can hold.</exception>
    int GetMaxCompressedSize(int size);

    /// <summary>Compresses a payload.</summary>
    /// <param name="source">The payload.</param>
    /// <param name="destination">Room for the result; may be too short for it.</param>
    /// <param name="written">The bytes of the result, or 0.</param>
    /// <returns>False when the result does not fit.</returns>
    bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written);

    /// <summary>Decompresses a payload.</summary>
    /// <param name="source">Bytes from anywhere.</param>
    /// <param name="destination">As long as the payload is declared to be; holds stale memory before the call and after a failed one.</param>
    /// <returns>True only when all of <paramref name="source"/> was used and all of <paramref name="destination"/> was written. Bad bytes never throw.</returns>
    bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination);
}
