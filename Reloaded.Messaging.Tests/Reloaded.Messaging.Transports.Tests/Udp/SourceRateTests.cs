using System.Net;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

public sealed class SourceRateTests
{
    [Fact]
    public void Source_beyond_its_limit_is_refused_until_the_next_second_and_takes_nothing_from_others()
    {
        var time = new ManualTime();
        var rate = new SourceRate(time, perSource: 3, inAll: 4);
        byte[] one = [1, 2, 3, 4];

        for (var i = 0; i < 100; i++)
            Assert.Equal(i < 3, rate.TryTake(one));
        byte[][] others = [[1, 2, 3, 5], [1, 2, 3, 6], [1, 2, 3, 7], [1, 2, 3, 8]];
        var taken = 0;
        foreach (var other in others)
            taken += rate.TryTake(other) ? 1 : 0;
        Assert.Equal(1, taken); // the limit of all

        time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(rate.TryTake(one));
    }

    [Fact]
    public void Source_at_its_limit_is_allowed_again_as_time_passes_and_not_at_the_next_second()
    {
        var time = new ManualTime();
        var rate = new SourceRate(time, perSource: 4, inAll: 100);
        byte[] source = [1, 2, 3, 4];
        while (rate.TryTake(source))
            continue;

        for (var i = 0; i < 8; i++)
        {
            time.Advance(TimeSpan.FromMilliseconds(250));
            Assert.True(rate.TryTake(source));
            Assert.False(rate.TryTake(source));
        }
    }

    [Fact]
    public void New_source_is_served_while_a_thousand_sources_are_at_their_limits()
    {
        var time = new ManualTime();
        var rate = new SourceRate(time, UdpListener.HellosPerSecond, UdpListener.HellosOfAllPerSecond);
        var (taken, served) = (0, 0);

        for (var millisecond = 0; millisecond < 3000; millisecond++)
        {
            time.Advance(TimeSpan.FromMilliseconds(1));
            for (var flooding = 0; flooding < 1000; flooding++)
                taken += rate.TryTake(BitConverter.GetBytes(flooding)) ? 1 : 0;
            if (millisecond % 10 == 0)
                served += rate.TryTake(BitConverter.GetBytes(1_000_000 + millisecond)) ? 1 : 0;
        }

        Assert.InRange(served, 0.85 * 300, 300); // a source that shares its slot with a flooding one is not served
        Assert.InRange(taken, 2 * UdpListener.HellosOfAllPerSecond, 4 * UdpListener.HellosOfAllPerSecond); // the tokens of three seconds, and those at the beginning
    }

    [Theory]
    [InlineData("192.0.2.1", 1, "192.0.2.1", 2, true)]
    [InlineData("192.0.2.1", 1, "192.0.2.2", 1, false)]
    [InlineData("127.0.0.1", 1, "127.0.0.1", 1, true)]
    [InlineData("127.0.0.1", 1, "127.0.0.1", 2, false)]
    [InlineData("127.0.0.1", 1, "127.0.0.2", 1, false)]
    [InlineData("2001:db8:1:2::1", 1, "2001:db8:1:2:3::9", 2, true)]
    [InlineData("2001:db8:1:2::1", 1, "2001:db8:1:3::1", 1, false)]
    [InlineData("::1", 1, "::1", 2, false)]
    [InlineData("::ffff:192.0.2.1", 1, "::ffff:192.0.2.1", 2, true)]
    [InlineData("::ffff:192.0.2.1", 1, "::ffff:192.0.2.2", 1, false)]
    [InlineData("::ffff:127.0.0.1", 1, "::ffff:127.0.0.1", 1, true)]
    [InlineData("::ffff:127.0.0.1", 1, "::ffff:127.0.0.1", 2, false)]
    public void Addresses_of_one_network_of_another_machine_are_one_source(string one, int onePort, string other, int otherPort, bool areOne)
    {
        var (first, second) = (new IPEndPoint(IPAddress.Parse(one), onePort).Serialize(), new IPEndPoint(IPAddress.Parse(other), otherPort).Serialize());

        Assert.Equal(areOne, UdpSocket.SourceOf(first).SequenceEqual(UdpSocket.SourceOf(second)));
    }
}
