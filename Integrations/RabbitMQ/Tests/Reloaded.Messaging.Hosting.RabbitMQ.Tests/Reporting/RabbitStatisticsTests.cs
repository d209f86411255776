using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Reporting;

public sealed class RabbitStatisticsTests
{
    [Fact]
    public void Statistics_have_a_property_for_each_counter() => StatisticsContract.Check<RabbitStatistics, RabbitCounter>();

    [Fact]
    public void Counters_are_indexes() => StatisticsContract.CheckIndexes<RabbitCounter>();

    [Fact]
    public void With_expression_changes_only_the_copy()
    {
        var statistics = new RabbitStatistics { Unconfirmed = 1, Missed = 2 };

        var copy = statistics with { Unconfirmed = 3 };

        Assert.Equal((1, 2, 3, 2), (statistics.Unconfirmed, statistics.Missed, copy.Unconfirmed, copy.Missed));
    }
}
