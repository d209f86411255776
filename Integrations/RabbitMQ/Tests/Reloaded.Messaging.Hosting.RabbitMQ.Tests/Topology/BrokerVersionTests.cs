using System.Collections.Generic;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Topology;

/// <summary>Shared queues for brokers of different versions.</summary>
public sealed class BrokerVersionTests(BrokerFixture broker)
{
    [Theory]
    [InlineData("3.10.8", false)]
    [InlineData("3.13.7", false)]
    [InlineData("4.0.0", true)]
    [InlineData("4.3.0-rc.1", true)]
    [InlineData("10.1", true)]
    [InlineData("unknown", false)]
    public void SharesQuorum_from_version_4_on(string version, bool expected) =>
        Assert.Equal(expected, BrokerVersion.SharesQuorum(new Dictionary<string, object?> { ["version"] = Encoding.UTF8.GetBytes(version) }));

    [Fact]
    public async Task Shared_queue_for_version_4_is_a_quorum_queue_expires_and_delivers()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();
        await using var bare = await fleet.AddBareAsync();
        var shared = new SubscribedQueue(ConsumerRole.Events, "moves", DeliveryKind.AtMostOnce, "servers", host.Options, SubscriptionOptions.Default);

        var queue = await TopologyDeclarer.DeclareAsync(bare, host.Queues.Names, host.Options, shared, sharesQuorum: true, CancellationToken.None);

        var properties = await broker.Get().GetQueueAsync(queue.Name, "durable, auto_delete, type, arguments");
        Assert.StartsWith("[{durable,true},{auto_delete,false},{type,quorum},", properties, System.StringComparison.Ordinal);
        Assert.Contains("x-expires", properties, System.StringComparison.Ordinal);
        host.Publish("moves", new Numbered(1));
        await Until.TrueAsync(async () => await bare.BasicGetAsync(queue.Name, autoAck: true) is not null);
        await bare.QueueDeleteAsync(queue.Name, ifUnused: false, ifEmpty: false);
    }
}
