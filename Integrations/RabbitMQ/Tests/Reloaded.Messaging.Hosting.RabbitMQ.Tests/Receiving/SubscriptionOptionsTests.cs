using System;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Receiving;

/// <summary>The options of single subscriptions, and the end of groups.</summary>
public sealed class SubscriptionOptionsTests(BrokerFixture broker)
{
    [Fact]
    public async Task RemoveGroupAsync_deletes_queue_and_dead_letters_and_releases_publisher()
    {
        await using var fleet = new Fleet(broker.Get());
        await fleet.FillAsync("work", "absent");
        var publisher = await fleet.AddAsync();
        publisher.Publish("work", new Unhandled(1), DeliveryKind.AtLeastOnce);
        await Until.TrueAsync(() => publisher.GetStatistics().Rejected > 0);

        var deleted = await publisher.RemoveGroupAsync("work", "absent").InTime();

        // A broker may close the connection of a publisher whose queue is deleted, and the count of that queue is then lost with it.
        Assert.True(deleted >= 10 || publisher.GetStatistics().Disconnects > 0, $"{deleted} messages were deleted.");
        await publisher.FlushAsync().InTime();
        await using var bare = await fleet.AddBareAsync();
        await Assert.ThrowsAsync<OperationInterruptedException>(() => bare.QueueDeclarePassiveAsync($"{fleet.Scope}.dead.absent.work"));
        Assert.Equal(0, await publisher.RemoveGroupAsync("work", "absent").InTime());
    }

    [Fact]
    public async Task RemoveGroupAsync_with_subscribed_host_throws_and_keeps_queue()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await host.SubscribeAsync("work", DeliveryKind.AtLeastOnce, "workers");

        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => host.RemoveGroupAsync("work", "workers").InTime());

        Assert.Contains("'workers'", refused.Message, StringComparison.Ordinal);
        host.Publish("work", new Numbered(1), DeliveryKind.AtLeastOnce);
        await got.CountAsync(1);
    }

    [Fact]
    public async Task MaxTries_of_subscription_overrides_the_one_of_the_host()
    {
        await using var fleet = new Fleet(broker.Get());
        var tries = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On((in Numbered message, Origin from) =>
        {
            tries.Add(message, from);
            throw new InvalidOperationException("Refused by the test.");
        }));
        await host.SubscribeAsync("work", DeliveryKind.AtLeastOnce, "workers", new SubscriptionOptions { MaxTries = 2, RetryDelay = TimeSpan.Zero });

        host.Publish("work", new Numbered(1), DeliveryKind.AtLeastOnce);

        await Until.TrueAsync(() => host.GetStatistics().DeadLettered == 1);
        Assert.Equal(2, tries.Count);
    }

    [Fact]
    public async Task Options_that_do_not_apply_are_refused()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();

        await Assert.ThrowsAsync<ArgumentException>("options", () => host.SubscribeAsync("work", group: "workers", options: new SubscriptionOptions { MaxTries = 2 }));
        await Assert.ThrowsAsync<ArgumentException>("options", () => host.SubscribeAsync("work", group: "workers", options: new SubscriptionOptions { RetryDelay = TimeSpan.Zero }));
        await Assert.ThrowsAsync<ArgumentException>("options", () => host.SubscribeAsync("work", group: "workers", options: new SubscriptionOptions { Partitions = 2 }));
        await Assert.ThrowsAsync<ArgumentException>("options", () => host.SubscribeAsync("work", DeliveryKind.AtLeastOnce, "workers", new SubscriptionOptions { Partitions = 2, Prefetch = 2 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new SubscriptionOptions { Partitions = 65 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new RabbitOptions { QueueReplicas = 0 });
        Assert.Throws<ArgumentException>("Endpoints", () => new RabbitOptions { Endpoints = [null!] });
    }

    /// <summary>The endpoints of a cluster do not take TLS from the factory.</summary>
    [Fact]
    public async Task Endpoint_without_TLS_beside_a_factory_with_TLS_is_refused()
    {
        var factory = new ConnectionFactory { Uri = new Uri("amqps://user:password@127.0.0.1:1") };
        var options = new RabbitOptions { Endpoints = [new AmqpTcpEndpoint("node1", 5671, new SslOption("node1", enabled: true)), new AmqpTcpEndpoint("node2", 5671)] };

        var started = Assert.Throws<ArgumentException>("options", () => RabbitHost.Start(factory, options: options));
        await Assert.ThrowsAsync<ArgumentException>("options", () => RabbitHost.ConnectAsync(factory, options: options));

        Assert.Contains("node2:5671", started.Message, StringComparison.Ordinal);
        await using var host = RabbitHost.Start(factory, options: options with { Endpoints = [options.Endpoints[0]] });
    }
}
