using System.Globalization;
using System.Linq;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>The extent of long tests, from the environment variable RELOADED_MESSAGING_EXTENT: 0 (default), or the extents of .ci/run, of its steps with more input, and of <c>.ci/run all</c> (1–3).</summary>
public static class Extent
{
    private static readonly int s_level = int.Parse(Environment.GetEnvironmentVariable("RELOADED_MESSAGING_EXTENT") ?? "0", CultureInfo.InvariantCulture);

    /// <summary>Returns the amount for the extent. Further extents have the last amount.</summary>
    public static T Of<T>(params T[] amounts) => amounts[Math.Min(s_level, amounts.Length - 1)];

    /// <summary>Returns all cases of a test in .ci/run; otherwise, the first ones.</summary>
    public static IEnumerable<T> Of<T>(IEnumerable<T> cases, int first) => s_level > 0 ? cases : cases.Take(first);
}
