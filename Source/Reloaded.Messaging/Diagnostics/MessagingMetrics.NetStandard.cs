using System;

namespace Reloaded.Messaging;

/// <summary>The meter of the library on other targets. The netstandard2.1 build has no meter: a meter needs a package that Mono does not load.</summary>
/// <remarks>Statistics of hosts, dispatchers and pools are available on every target.</remarks>
public static class MessagingMetrics
{
    /// <summary>The name of the meter on other targets.</summary>
    public const string MeterName = "Reloaded.Messaging";

    internal static void ObserveBuffers(Func<long> outstanding)
    {
        // No meter reads the number.
    }

    internal static void CountPacked(int messages = 1)
    {
        // No meter reads the number.
    }

    internal static void CountDispatched()
    {
        // No meter reads the number.
    }

    internal static void CountDropped(string reason)
    {
        // No meter reads the number.
    }

    /// <summary>Does nothing on this target. On other targets, counts a message that a host did not send.</summary>
    /// <param name="status">The value of the tag <c>status</c>.</param>
    public static void CountUnsent(string status)
    {
        // No meter reads the number.
    }

    internal static void CountCompressed(int before, int after)
    {
        // No meter reads the numbers.
    }
}
