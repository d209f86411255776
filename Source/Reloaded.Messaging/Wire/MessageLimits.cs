namespace Reloaded.Messaging;

/// <summary>The size limits that a writer does not exceed and a dispatcher does not accept beyond.</summary>
/// <remarks>
/// Use the same limits on both sides, so that each side accepts every message that the other side can pack. Immutable and thread-safe.
/// </remarks>
public sealed class MessageLimits
{
    /// <summary>The default limits: 1 MiB for a message, and 1 MiB after decompression.</summary>
    public static MessageLimits Default { get; } = new();

    /// <summary>The maximum size of a message as sent, header included, in bytes (128–2147483591; default: 1048576).</summary>
    public int MaxMessageSize
    {
        get;
        init => field = Guard.Between(MinLimit, LargestArray, value);
    } = 1 << 20;

    /// <summary>The maximum size of a payload before compression and after decompression, in bytes (128–2147483591; default: 1048576).</summary>
    public int MaxDecompressedSize
    {
        get;
        init => field = Guard.Between(MinLimit, LargestArray, value);
    } = 1 << 20;

    // Small structs are packed without a comparison with a limit, because no limit is lower than this.

    /// <summary>The smallest value of each limit, in bytes (128).</summary>
    public const int MinLimit = 128;

    /// <summary>The maximum length of a byte array in .NET.</summary>
    internal const int LargestArray = 0x7FFFFFC7;
}
