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
}
