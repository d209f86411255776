using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.Options;

public sealed class HostOptionsTests
{
    public static TheoryData<string, TimeSpan> NotPositive
    {
        get
        {
            var data = new TheoryData<string, TimeSpan>();
            foreach (var name in new[] { "RequestTimeout", "KeepAliveTimeout", "IdleTimeout", "HandshakeTimeout" })
            {
                foreach (var time in new[] { TimeSpan.Zero, TimeSpan.FromTicks(-1), Timeout.InfiniteTimeSpan })
                    data.Add(name, time);
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(NotPositive))]
    public void A_time_that_is_not_longer_than_zero_is_refused_by_its_name(string name, TimeSpan time)
    {
        var refused = Assert.Throws<ArgumentOutOfRangeException>(() => Make(name, time));

        Assert.Equal(name, refused.ParamName);
        Assert.Contains(time.ToString(), refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("RequestTimeout")]
    [InlineData("KeepAliveTimeout")]
    [InlineData("IdleTimeout")]
    public void A_time_may_be_as_good_as_never(string name) => Make(name, TimeSpan.MaxValue);

    [Theory]
    [InlineData("HandshakeTimeout")]
    [InlineData("FlushTimeout")]
    [InlineData("StopTimeout")]
    public void Time_of_a_timer_above_24_days_is_refused(string name)
    {
        Make(name, TimeSpan.FromDays(24));

        Assert.Throws<ArgumentOutOfRangeException>(() => Make(name, TimeSpan.FromDays(24) + TimeSpan.FromTicks(1)));
        Assert.Throws<ArgumentOutOfRangeException>(() => Make(name, TimeSpan.MaxValue));
    }

    [Theory]
    [InlineData(15, 2)]
    [InlineData(5, 1)]
    [InlineData(0.001, 0.001)]
    public void Pings_are_two_seconds_or_a_fifth_of_a_shorter_limit_apart(double keepAlive, double ping) =>
        Assert.Equal(TimeSpan.FromSeconds(ping), Make("KeepAliveTimeout", TimeSpan.FromSeconds(keepAlive)).PingInterval);

    private static MessageHostOptions Make(string name, TimeSpan time) => name switch
    {
        "RequestTimeout" => new MessageHostOptions { RequestTimeout = time },
        "KeepAliveTimeout" => new MessageHostOptions { KeepAliveTimeout = time },
        "IdleTimeout" => new MessageHostOptions { IdleTimeout = time },
        "FlushTimeout" => new MessageHostOptions { FlushTimeout = time },
        "StopTimeout" => new MessageHostOptions { StopTimeout = time },
        _ => new MessageHostOptions { Limits = new HostLimits { HandshakeTimeout = time } },
    };
}
