using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

/// <summary>Local times between machines of different time zones.</summary>
[Quiet]
public sealed class LocalTimeTests : IDisposable
{
    private readonly LocalZone _zone = new();

    public void Dispose() => _zone.Dispose();

    [Theory]
    [InlineData("Europe/Berlin", "America/St_Johns")]
    [InlineData("America/St_Johns", "UTC")]
    [InlineData("UTC", "Asia/Kathmandu")]
    [InlineData("Asia/Kathmandu", "Europe/Berlin")]
    public void Local_time_is_the_same_moment_in_the_zone_of_the_receiver(string sender, string receiver)
    {
        LocalZone.MoveTo(sender);
        var sent = new List<(DateTime Utc, byte[] Payload)>();
        for (var utc = new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc); utc.Year < 2027; utc += TimeSpan.FromMinutes(30))
            sent.Add((utc, Payload.Of(new DateTimeForm(utc.ToLocalTime()))));

        LocalZone.MoveTo(receiver);
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
        foreach (var sender in zones)
        {
            foreach (var end in new[] { DateTime.MinValue, DateTime.MaxValue })
            {
                LocalZone.MoveTo(sender);
                var payload = Payload.Of(new DateTimeForm(DateTime.SpecifyKind(end, DateTimeKind.Local)));
                foreach (var receiver in zones)
                {
                    LocalZone.MoveTo(receiver);
                    var time = Payload.Read<DateTimeForm>(payload).Value;
                    Assert.True((time, time.Kind) == (end, DateTimeKind.Local), $"{end:O} from {sender} arrives at {receiver} as {time:O}.");
                }
            }
        }
    }

    [Fact]
    public void Local_time_near_an_end_arrives_as_the_same_moment_or_as_the_end()
    {
        foreach (var zone in new[] { "Pacific/Kiritimati", "UTC", "Etc/GMT+12" })
        {
            LocalZone.MoveTo(zone);
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
}
