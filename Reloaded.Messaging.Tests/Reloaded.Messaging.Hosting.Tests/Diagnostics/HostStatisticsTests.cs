using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Diagnostics;

public sealed class HostStatisticsTests
{
    [Fact]
    public void Statistics_have_a_property_for_each_counter() => StatisticsContract.Check<HostStatistics, HostCounter>();

    [Fact]
    public void Counted_enums_are_indexes()
    {
        StatisticsContract.CheckIndexes<HostCounter>();
        StatisticsContract.CheckIndexes<SendStatus>();
        StatisticsContract.CheckIndexes<DisconnectReason>();
        StatisticsContract.CheckIndexes<DatagramDropReason>();
    }
}
