using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Faults;

/// <summary>Subscriptions that the broker refuses or ends, while it takes everything else.</summary>
[Collection(DisturbedBroker.Name)]
public sealed class SubscriptionFailureTests(BrokerFixture broker)
{
    [Fact]
    public async Task Subscription_refused_after_a_reconnect_is_retried_alone()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var factory = Fleet.FactoryOf(broker.Get().Port);
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add), factory: factory);
        var kept = await host.SubscribeAsync("kept", DeliveryKind.AtLeastOnce, "all");
        var passing = await host.SubscribeAsync("passing");
        var failed = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        host.SubscriptionFailed += (subscription, reason) => failed.TrySetResult($"{subscription.Topic}: {reason}");
        await fleet.CutAsync(host, factory);
        var bare = await fleet.AddBareAsync();
        var queue = $"{fleet.Scope}.kept.all.kept";
        await bare.QueueDeleteAsync(queue, ifUnused: false, ifEmpty: false);
        await bare.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-queue-type"] = "quorum" });
        var back = host.NextAsync(LinkState.Connected);

        factory.Port = broker.Get().Port;
        await back.InTime();
        host.Publish("passing", new Numbered(1));
        await got.CountAsync(1);

        var told = await failed.Task.InTime();
        Assert.StartsWith("kept: ", told, StringComparison.Ordinal);
        Assert.Contains("inequivalent arg", told, StringComparison.Ordinal);
        Assert.Contains("inequivalent arg", kept.Failure, StringComparison.Ordinal);
        Assert.Null(passing.Failure);
        Assert.True(host.GetStatistics().FailedSubscriptions > 0);
        await bare.QueueDeleteAsync(queue, ifUnused: false, ifEmpty: false);
        await fleet.ConsumersAsync(queue, 1);
        host.Publish("kept", new Numbered(2), DeliveryKind.AtLeastOnce);
        await got.CountAsync(2);
        Assert.Null(kept.Failure);
        Assert.Equal(1, host.GetStatistics().Disconnects);
    }

    [Fact]
    public async Task Listener_of_a_refused_subscription_can_wait_for_another_subscription()
    {
        await using var fleet = new Fleet(broker.Get());
        var bare = await fleet.AddBareAsync();
        await bare.QueueDeclareAsync($"{fleet.Scope}.kept.all.kept", durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-queue-type"] = "quorum" });
        var host = await fleet.AddAsync();
        var subscribed = new TaskCompletionSource<Subscription>(TaskCreationOptions.RunContinuationsAsynchronously);
        host.SubscriptionFailed += (_, _) => Wait(host, subscribed);

        host.Subscribe("kept", DeliveryKind.AtLeastOnce, "all");

        Assert.Equal("passing", (await subscribed.Task.InTime()).Topic);
    }

    [Fact]
    public async Task Listener_of_a_new_connection_can_wait_for_a_subscription()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();
        var subscribed = new TaskCompletionSource<Subscription>(TaskCreationOptions.RunContinuationsAsynchronously);
        host.LinkChanged += (state, _) =>
        {
            if (state == LinkState.Connected)
                Wait(host, subscribed);
        };

        await broker.Get().CloseConnectionsAsync("maintenance");

        Assert.Equal("passing", (await subscribed.Task.InTime()).Topic);
    }

    [Fact]
    public async Task Queue_deleted_under_a_subscription_is_declared_again_and_the_connection_stays()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await host.SubscribeAsync("kept", DeliveryKind.AtLeastOnce, "all");
        var bare = await fleet.AddBareAsync();
        var queue = $"{fleet.Scope}.kept.all.kept";

        await bare.QueueDeleteAsync(queue, ifUnused: false, ifEmpty: false);

        await fleet.ConsumersAsync(queue, 1);
        host.Publish("kept", new Numbered(1), DeliveryKind.AtLeastOnce);
        await got.CountAsync(1);
        Assert.Equal((0L, LinkState.Connected), (host.GetStatistics().Disconnects, host.State));
    }

    [Fact]
    public async Task Handler_that_runs_as_soon_as_the_host_is_back_can_publish()
    {
        await using var fleet = new Fleet(broker.Get());
        var statuses = new Received<SendStatus>();
        var factory = Fleet.FactoryOf(broker.Get().Port);
        RabbitHost host = null!;
        host = await fleet.AddAsync(added => added.On((in Numbered message, Origin from) => statuses.Add(host.Publish("passing", message), from)), factory: factory);
        await host.SubscribeAsync("kept", DeliveryKind.AtLeastOnce, "all");
        await fleet.CutAsync(host, factory);
        var other = await fleet.AddAsync();
        for (var number = 0; number < 100; number++)
            other.Publish("kept", new Numbered(number), DeliveryKind.AtLeastOnce);
        await other.FlushAsync().InTime();

        factory.Port = broker.Get().Port;

        await statuses.CountAsync(100);
        Assert.All(statuses.Messages, static status => Assert.Equal(SendStatus.Sent, status));
    }

    /// <summary>Waits as for a lock of the program, whose holder subscribes.</summary>
    private static void Wait(RabbitHost host, TaskCompletionSource<Subscription> subscribed)
    {
        if (subscribed.Task.IsCompleted)
            return;
        var other = host.SubscribeAsync("passing");
        if (((IAsyncResult)other).AsyncWaitHandle.WaitOne(TimeSpan.FromSeconds(20)))
            subscribed.TrySetResult(other.GetAwaiter().GetResult());
        else
            subscribed.TrySetException(new TimeoutException("The subscription waits for the listener."));
    }
}
