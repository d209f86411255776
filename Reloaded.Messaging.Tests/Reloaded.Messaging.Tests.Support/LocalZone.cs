using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Gives the process other time zones until the disposal. For tests with <see cref="QuietAttribute"/>.</summary>
public sealed class LocalZone : IDisposable
{
    private const string Variable = "TZ";

    private readonly string? _before = Environment.GetEnvironmentVariable(Variable);

    /// <summary>Moves the process to a time zone. Skips the test where this is not possible.</summary>
    public static void MoveTo(string zone)
    {
        Set(zone);
        Assert.SkipUnless(TimeZoneInfo.TryFindSystemTimeZoneById(zone, out var found) && TimeZoneInfo.Local.BaseUtcOffset == found.BaseUtcOffset, "This system has no time zones, or a program cannot choose its own, as on Windows.");
    }

    public void Dispose() => Set(_before);

    private static void Set(string? zone)
    {
        Environment.SetEnvironmentVariable(Variable, zone);
        TimeZoneInfo.ClearCachedData();
    }
}
