using System;

namespace Reloaded.Messaging;

/// <summary>How a contract's payloads are compressed, and which of them.</summary>
/// <remarks>
/// The compressor is part of the contract: both ends have to name the same. Whether one message is compressed is said in its header,
/// so the threshold may differ between the ends.
/// </remarks>
public sealed class CompressionOptions
{
    /// <summary>Compresses payloads of at least <paramref name="threshold"/> bytes, and sends them compressed when that made the message smaller.</summary>
    /// <param name="compressor">What compresses; shared by all threads that use the contract.</param>
    /// <param name="threshold">The smallest payload worth trying, in bytes; 256 by default, since shorter ones rarely shrink.</param>
    public CompressionOptions(IMessageCompressor compressor, int threshold = 256)
    {
        ArgumentNullException.ThrowIfNull(compressor);
        if (threshold < 0)
            Throw.ArgumentOutOfRange(nameof(threshold), threshold, "a threshold is 0 bytes or more");
        Compressor = compressor;
        Threshold = threshold;
    }

    /// <summary>What compresses and decompresses.</summary>
    public IMessageCompressor Compressor { get; }

    /// <summary>The smallest payload that is tried, in bytes.</summary>
    public int Threshold { get; }

    /// <summary>Sends every payload from the threshold up compressed, even if it grew: for peers that can't read plain ones. By default false.</summary>
    public bool EvenIfLarger { get; init; }
}
