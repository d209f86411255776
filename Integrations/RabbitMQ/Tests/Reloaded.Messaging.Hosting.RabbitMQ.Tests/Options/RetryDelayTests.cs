using System;
using System.Collections.Generic;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Xunit;

namespace Reloaded.Messaging.Tests.Options;

public sealed class RetryDelayTests
{
    [Theory]
    [InlineData(1, 1000, 60_000, 1024)]
    [InlineData(2, 1000, 60_000, 2048)]
    [InlineData(7, 1000, 60_000, 65_536)]
    [InlineData(1000, 1000, 60_000, 65_536)]
    [InlineData(1, 1, 1, 64)]
    [InlineData(3, 5000, 0, 8192)]
    [InlineData(1, 3_600_000, 3_600_000, 4_194_304)]
    public void Of_doubles_with_each_try_up_to_the_longest(int tries, int first, int most, int expected)
    {
        var delay = RetryDelay.Of(tries, TimeSpan.FromMilliseconds(first), TimeSpan.FromMilliseconds(most));

        Assert.Equal(expected, delay);
        Assert.Contains(delay, (IEnumerable<int>)RetryDelay.All());
    }
}
