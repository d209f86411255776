namespace Reloaded.Messaging;

/// <summary>The sizes that a writer refuses to exceed and a dispatcher refuses to believe.</summary>
/// <remarks>
/// Give both ends the same limits: what one packs the other then accepts. Immutable, and safe to share between threads.
/// </remarks>
public sealed class MessageLimits
{
    /// <summary>1 MiB a message, and 1 MiB after decompression.</summary>
    public static MessageLimits Default { get; } = new();

    /// <summary>The largest message, header and payload as sent, in bytes: 128 to 2147483591, by default 1048576.</summary>
    public int MaxMessageSize
    {
        get;
        init => field = Checked(nameof(MaxMessageSize), value);
    } = 1 << 20;

    /// <summary>The largest payload before compression and after decompression, in bytes: 128 to 2147483591, by default 1048576.</summary>
    public int MaxDecompressedSize
    {
        get;
        init => field = Checked(nameof(MaxDecompressedSize), value);
    } = 1 << 20;

    // Small structs are packed without a comparison with a limit: no limit is lower than this.

    /// <summary>The smallest value of each limit, in bytes (128).</summary>
    public const int MinLimit = 128;

    /// <summary>The longest array of bytes that the runtime makes.</summary>
    internal const int LargestArray = 0x7FFFFFC7;

    private static int Checked(string name, int value)
    {
        if (value is < MinLimit or > LargestArray)
            Throw.ArgumentOutOfRange(name, value, $"a limit is {MinLimit} to {LargestArray} bytes");
        return value;
    }
}
