using System;
using System.Collections.Generic;
using System.Numerics;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The delay before the next try of a message. It is a power of two milliseconds, so that all hosts and all versions of a program share the same few queues.</summary>
internal static class RetryDelay
{
    /// <summary>The exponent of the shortest delay, 64 ms.</summary>
    private const int Shortest = 6;

    /// <summary>The exponent of the longest delay, 70 minutes.</summary>
    private const int Longest = 22;

    /// <summary>The longest delay that options accept.</summary>
    public static TimeSpan Max { get; } = TimeSpan.FromHours(1);

    /// <summary>Returns all delays that exist, in milliseconds.</summary>
    public static int[] All()
    {
        var all = new int[Longest - Shortest + 1];
        for (var index = 0; index < all.Length; index++)
            all[index] = 1 << (Shortest + index);
        return all;
    }

    /// <summary>Returns the delay after a try, in milliseconds. It doubles with each try.</summary>
    /// <param name="tries">The number of tries so far (at least 1).</param>
    /// <param name="first">The delay after the first try, which is rounded up.</param>
    /// <param name="most">The longest delay, which is rounded up.</param>
    public static int Of(int tries, TimeSpan first, TimeSpan most) =>
        1 << (int)Math.Min(ExponentOf(first) + (long)tries - 1, Math.Max(ExponentOf(first), ExponentOf(most)));

    /// <summary>Returns the delays after all tries of a message except the last one, each once, in milliseconds.</summary>
    /// <param name="tries">The maximum number of tries.</param>
    /// <param name="first">The delay after the first try.</param>
    /// <param name="most">The longest delay.</param>
    public static IEnumerable<int> AllOf(int tries, TimeSpan first, TimeSpan most)
    {
        var last = 0;
        for (var count = 1; count < tries && first > TimeSpan.Zero; count++)
        {
            var delay = Of(count, first, most);
            if (delay == last)
                yield break; // the longest delay
            yield return last = delay;
        }
    }

    private static int ExponentOf(TimeSpan time) =>
        Math.Clamp(BitOperations.Log2(BitOperations.RoundUpToPowerOf2((uint)Math.Ceiling(time.TotalMilliseconds))), Shortest, Longest);
}
