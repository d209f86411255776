namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The layout of a message's number: the upper bits are the generation of the topic's numbers, the lower bits are the count within the generation.</summary>
/// <remarks>A sender that forgets an idle topic restarts its count. The higher generation keeps the numbers unique, and shows a receiver that the count restarted at 1.</remarks>
internal static class TopicNumber
{
    private const int CountBits = 48;
    private const ulong MaxGeneration = (1UL << (63 - CountBits)) - 1; // the timestamp of AMQP is signed in some clients

    /// <summary>The number of the first message in a generation.</summary>
    public static ulong First(ulong generation) => (generation << CountBits) + 1;

    /// <summary>Returns the generation after another generation. After 32,767, the first generation follows.</summary>
    public static ulong NextGeneration(ulong generation) => generation == MaxGeneration ? 0 : generation + 1;

    /// <summary>Returns the number of messages that are missing before a number.</summary>
    /// <param name="expected">The number after the last received number.</param>
    /// <param name="number">The received number.</param>
    public static long Missing(ulong expected, ulong number)
    {
        var generation = number >> CountBits;
        var from = generation == expected >> CountBits ? expected : First(generation);
        return number > from && number > expected ? (long)(number - from) : 0;
    }
}
