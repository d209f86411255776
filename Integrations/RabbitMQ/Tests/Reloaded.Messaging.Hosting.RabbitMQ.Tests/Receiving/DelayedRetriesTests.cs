using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Receiving;

/// <summary>The ends of an attempt to delay a message.</summary>
public sealed class DelayedRetriesTests(BrokerFixture broker)
{
    private static readonly RabbitOptions s_options = new();

    private static readonly Hosting.RabbitMQ.Delivery s_delivery = Make();

    [Fact]
    public async Task Lost_connection_is_reported_to_the_caller()
    {
        await using var fleet = new Fleet(broker.Get());
        var (link, retries) = await OpenAsync(fleet, group: "shop");
        await link.DisposeAsync();

        Assert.False(await retries.TryDelayAsync(s_delivery).InTime());
    }

    [Fact]
    public async Task Error_that_is_not_a_refusal_of_the_broker_is_thrown()
    {
        await using var fleet = new Fleet(broker.Get());
        var (link, retries) = await OpenAsync(fleet, group: new string('x', 256)); // AMQP cannot carry the name of the queue

        await Assert.ThrowsAnyAsync<ArgumentException>(() => retries.TryDelayAsync(s_delivery).InTime());
        await link.DisposeAsync();
    }

    private static Hosting.RabbitMQ.Delivery Make()
    {
        var delivery = new Hosting.RabbitMQ.Delivery(static (_, _) => Task.CompletedTask);
        delivery.Begin(1, channel: 0, new Origin("sender", "orders", 1, IsRepeated: false, Tries: 1), isRedelivered: false, new BasicProperties());
        delivery.CopyBody(new byte[9]);
        return delivery;
    }

    private static async Task<(BrokerConnection Link, DelayedRetries Retries)> OpenAsync(Fleet fleet, string group)
    {
        var names = new TopologyNames(fleet.Scope, "host");
        var queue = new SubscribedQueue(ConsumerRole.Events, "orders", DeliveryKind.AtLeastOnce, group, s_options, SubscriptionOptions.Default);
        var link = await BrokerConnection.OpenAsync(static _ => { }, static (_, _) => { }, names, s_options, Fleet.FactoryOf(fleet.Port), CancellationToken.None);
        return (link, new DelayedRetries(link, names, s_options, new HostReports(), queue, "orders"));
    }
}
