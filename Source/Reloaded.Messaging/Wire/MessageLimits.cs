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

    /// <summary>No limit is lower, so that small structs are packed without looking at one.</summary>
    internal const int Smallest = 128;

    /// <summary>The longest array of bytes that the runtime makes.</summary>
    internal const int LargestArray = 0x7FFFFFC7;

    private static int Checked(string name, int value)
    {
        if (value is < Smallest or > LargestArray)
            Throw.ArgumentOutOfRange(name, value, $"a limit is {Smallest} to {LargestArray} bytes");
        return value;
    }
}
