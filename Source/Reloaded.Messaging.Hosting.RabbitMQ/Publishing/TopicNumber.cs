namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The layout of a message's number: the generation of its topic's numbering above, the count within the generation below.</summary>
/// <remarks>A sender that forgets idle topics begins to count anew. The higher generation keeps the numbers apart, and tells a receiver that the count began at 1.</remarks>
internal static class TopicNumber
{
    private const int CountBits = 48;
    private const ulong MaxGeneration = (1UL << (63 - CountBits)) - 1; // AMQP's timestamp is signed for some clients

    /// <summary>The number of the first message in a generation.</summary>
    public static ulong First(ulong generation) => (generation << CountBits) + 1;

    /// <summary>The generation after another. After 32,767 the first follows again.</summary>
    public static ulong NextGeneration(ulong generation) => generation == MaxGeneration ? 0 : generation + 1;

    /// <summary>The count of messages that are missing before a number.</summary>
    /// <param name="expected">The number after the last one that came.</param>
    /// <param name="number">The number that came.</param>
    public static long Missing(ulong expected, ulong number)
    {
        var generation = number >> CountBits;
        var from = generation == expected >> CountBits ? expected : First(generation);
        return number > from && number > expected ? (long)(number - from) : 0;
    }
}
