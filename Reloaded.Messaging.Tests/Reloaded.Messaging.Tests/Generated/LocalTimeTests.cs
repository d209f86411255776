using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

/// <summary>Local times between machines of different time zones.</summary>
[Quiet]
public sealed class LocalTimeTests : IDisposable
{
    private const string Variable = "TZ";

    private readonly string? _before = Environment.GetEnvironmentVariable(Variable);

    public void Dispose() => MoveTo(_before);

    [Theory]
    [InlineData("Europe/Berlin", "America/St_Johns")]
    [InlineData("America/St_Johns", "UTC")]
    [InlineData("UTC", "Asia/Kathmandu")]
    [InlineData("Asia/Kathmandu", "Europe/Berlin")]
    public void Local_time_is_the_same_moment_in_the_zone_of_the_receiver(string sender, string receiver)
    {
        MoveTo("Asia/Kathmandu");
        Assert.SkipUnless(TimeZoneInfo.Local.BaseUtcOffset == new TimeSpan(5, 45, 0), "This system has no time zones, or a program cannot choose its own, as on Windows.");

        MoveTo(sender);
        var sent = new List<(DateTime Utc, byte[] Payload)>();
        for (var utc = new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc); utc.Year < 2027; utc += TimeSpan.FromMinutes(30))
            sent.Add((utc, Payload.Of(new DateTimeForm(utc.ToLocalTime()))));

        MoveTo(receiver);
        foreach (var (utc, payload) in sent)
        {
            var time = Payload.Read<DateTimeForm>(payload).Value;
            Assert.Equal((utc.ToLocalTime(), DateTimeKind.Local, utc), (time, time.Kind, time.ToUniversalTime()));
        }
    }

    private static void MoveTo(string? zone)
    {
        Environment.SetEnvironmentVariable(Variable, zone);
        TimeZoneInfo.ClearCachedData();
    }
}
