namespace Reloaded.Messaging;

/// <summary>Specifies which payloads of a contract are compressed, and by which compressor.</summary>
/// <remarks>
/// The compressor is part of the contract: both sides must use the same one. The header of each message says whether its payload is compressed,
/// so the threshold may differ between the sides. Immutable and thread-safe.
/// </remarks>
public sealed class CompressionOptions
{
    private long _lastMaxSize = -1; // a size in the upper half, and its answer in the lower: written and read at once

    /// <summary>Creates options that compress payloads of at least <paramref name="threshold"/> bytes, if that makes the message smaller.</summary>
    /// <param name="compressor">The compressor. It is shared by all threads that use the contract.</param>
    /// <param name="threshold">The minimum size of a payload to compress, in bytes (0 or more; default: 256, because shorter payloads rarely shrink).</param>
    /// <param name="evenIfLarger">Whether every payload from the threshold on is sent compressed, even if it grows. For peers that cannot read uncompressed payloads (default: <c>false</c>).</param>
    public CompressionOptions(IMessageCompressor compressor, int threshold = 256, bool evenIfLarger = false)
    {
        ArgumentNullException.ThrowIfNull(compressor);
        Compressor = compressor;
        Threshold = Guard.AtLeast(0, threshold, nameof(threshold));
        Compress = compressor.TryCompress;
        CompressorName = compressor.Name;
        EvenIfLarger = evenIfLarger;
    }

    /// <summary>The compressor.</summary>
    public IMessageCompressor Compressor { get; }

    /// <summary>The compressor's <see cref="IMessageCompressor.Name"/>, which was read once: hosts compare it under a lock.</summary>
    public string CompressorName { get; }

    /// <summary>The minimum size of a payload to compress, in bytes.</summary>
    internal readonly int Threshold;

    /// <summary>The compressor's method, bound: an interface's is looked up at each call.</summary>
    internal readonly CompressCall Compress;

    /// <summary>Whether every payload from the threshold on is sent compressed, even if it grows.</summary>
    internal readonly bool EvenIfLarger;

    /// <summary>The compressor's <see cref="IMessageCompressor.GetMaxCompressedSize"/>, which is asked again only for another size.</summary>
    internal int GetMaxCompressedSize(int size)
    {
        var last = Volatile.Read(ref _lastMaxSize);
        if ((int)(last >> 32) == size)
            return (int)last;

        var maxSize = Compressor.GetMaxCompressedSize(size);
        Volatile.Write(ref _lastMaxSize, ((long)size << 32) | (uint)maxSize);
        return maxSize;
    }
}
