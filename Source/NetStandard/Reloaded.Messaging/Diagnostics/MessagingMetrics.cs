namespace Reloaded.Messaging;

/// <summary>The meter of the library on other targets. The netstandard2.1 build has no meter: a meter needs a package that Mono does not load.</summary>
/// <remarks>Statistics of hosts, dispatchers and pools are available on every target.</remarks>
public static class MessagingMetrics
{
    /// <summary>The name of the meter on other targets.</summary>
    public const string MeterName = "Reloaded.Messaging";

    internal const int QueueFull = 0;
    internal const int QueueDroppedOldest = 0;

    internal static void Publish(Func<long> countBuffers)
    {
        // There is no meter.
    }

    internal static void CountDispatched()
    {
        // No meter reads the number.
    }

    internal static void CountDropped(int reason)
    {
        // No meter reads the number.
    }

    internal static void CountCompressed(int before, int after)
    {
        // No meter reads the numbers.
    }
}
