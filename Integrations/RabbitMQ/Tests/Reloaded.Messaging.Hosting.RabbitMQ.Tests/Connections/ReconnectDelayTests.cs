using System;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class ReconnectDelayTests
{
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(5);

    [Fact]
    public void Next_doubles_up_to_the_longest_with_jitter()
    {
        var delay = new ReconnectDelay(s_longest);

        for (double expected = 100; expected < 5000; expected *= 2)
            Assert.InRange(delay.Next().TotalMilliseconds, 0.75 * expected, 1.25 * expected);
        for (var count = 0; count < 10; count++)
            Assert.InRange(delay.Next().TotalMilliseconds, 3750, 6250);
    }

    [Fact]
    public void NoteLost_after_a_short_connection_keeps_the_delay_and_after_a_long_one_starts_anew()
    {
        var delay = new ReconnectDelay(s_longest);
        for (var count = 0; count < 6; count++)
            delay.Next();

        delay.NoteLost(TimeSpan.FromMilliseconds(20));
        Assert.InRange(delay.Next().TotalMilliseconds, 3750, 6250);
        delay.NoteLost(TimeSpan.FromSeconds(6));
        Assert.InRange(delay.Next().TotalMilliseconds, 75, 125);
    }
}
