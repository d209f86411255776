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

    [Fact]
    public void First_and_last_local_time_arrive_unchanged_in_every_zone()
    {
        string[] zones = ["Pacific/Kiritimati", "Asia/Kathmandu", "UTC", "America/St_Johns", "Etc/GMT+12"];
        MoveTo(zones[0]);
        Assert.SkipUnless(TimeZoneInfo.Local.BaseUtcOffset == TimeSpan.FromHours(14), "This system has no time zones, or a program cannot choose its own, as on Windows.");
        foreach (var sender in zones)
        {
            foreach (var end in new[] { DateTime.MinValue, DateTime.MaxValue })
            {
                MoveTo(sender);
                var payload = Payload.Of(new DateTimeForm(DateTime.SpecifyKind(end, DateTimeKind.Local)));
                foreach (var receiver in zones)
                {
                    MoveTo(receiver);
                    var time = Payload.Read<DateTimeForm>(payload).Value;
                    Assert.True((time, time.Kind) == (end, DateTimeKind.Local), $"{end:O} from {sender} arrives at {receiver} as {time:O}.");
                }
            }
        }
    }

    [Fact]
    public void Local_time_near_an_end_arrives_as_the_same_moment_or_as_the_end()
    {
        MoveTo("Pacific/Kiritimati");
        Assert.SkipUnless(TimeZoneInfo.Local.BaseUtcOffset == TimeSpan.FromHours(14), "This system has no time zones, or a program cannot choose its own, as on Windows.");
        foreach (var zone in new[] { "Pacific/Kiritimati", "UTC", "Etc/GMT+12" })
        {
            MoveTo(zone);
            for (var distance = TimeSpan.FromMinutes(30).Ticks; distance < TimeSpan.TicksPerDay; distance += TimeSpan.FromMinutes(30).Ticks)
            {
                foreach (var (sent, end) in new[] { (new DateTime(distance, DateTimeKind.Local), DateTime.MinValue), (new DateTime(DateTime.MaxValue.Ticks - distance, DateTimeKind.Local), DateTime.MaxValue) })
                {
                    var time = Payload.Read<DateTimeForm>(Payload.Of(new DateTimeForm(sent))).Value;
                    var expected = sent.ToUniversalTime() == end ? end : sent;
                    Assert.True((time, time.Kind) == (expected, DateTimeKind.Local), $"{sent:O} arrives in {zone} as {time:O}.");
                }
            }
        }
    }

    private static void MoveTo(string? zone)
    {
        Environment.SetEnvironmentVariable(Variable, zone);
        TimeZoneInfo.ClearCachedData();
    }
}
