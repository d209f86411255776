using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Receiving;

/// <summary>Groups whose hosts handle the messages of each key in order.</summary>
public sealed class PartitionTests(BrokerFixture broker)
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;
    private const int Keys = 16;
    private const int MaxWaiting = 500; // messages that no host has handled

    private static readonly SubscriptionOptions s_eight = new() { Partitions = 8, MaxTries = 1000 };

    [Fact]
    public async Task Host_that_joins_after_the_roster_was_deleted_receives_partitions()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<(long Number, string Host)>();
        var options = new SubscriptionOptions { Partitions = 8 };
        var first = await JoinAsync("first");
        var refused = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        first.SubscriptionFailed += (_, reason) => refused.TrySetResult(reason);
        await using (var bare = await fleet.AddBareAsync())
            await bare.QueueDeleteAsync($"{fleet.Scope}.roster.scores.matches", ifUnused: false, ifEmpty: false);
        Assert.Contains("not shared for now", await refused.Task.InTime(), StringComparison.Ordinal);

        await JoinAsync("second");
        var number = 0;
        await Until.TrueAsync(async () =>
        {
            Assert.Equal(Hosting.SendStatus.Sent, await first.PublishAsync("matches", new Numbered(number), $"match {number++}"));
            return got.All.Any(static one => one.Message.Host == "second");
        });

        async Task<RabbitHost> JoinAsync(string name)
        {
            var host = await fleet.AddAsync(host => host.On((in Numbered message, Origin from) => got.Add((message.Number, name), from)));
            await host.SubscribeAsync("matches", DeliveryKind.AtLeastOnce, "scores", options);
            return host;
        }
    }

    [Fact]
    public async Task Subscription_without_partitions_to_a_group_that_has_them_is_refused()
    {
        await using var fleet = new Fleet(broker.Get());
        await (await fleet.AddAsync()).SubscribeAsync("matches", Kept, "scores", s_eight);
        var plain = await fleet.AddAsync();

        Assert.Contains("exists with partitions", (await Assert.ThrowsAsync<InvalidOperationException>(() => plain.SubscribeAsync("matches", Kept, "scores"))).Message, StringComparison.Ordinal);

        await using var bare = await fleet.AddBareAsync();
        await bare.QueueDeclareAsync($"{fleet.Scope}.kept.scores.matches", durable: true, exclusive: false, autoDelete: false); // as an earlier version did
        var another = await fleet.AddAsync();
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => another.SubscribeAsync("matches", Kept, "scores", s_eight));
        Assert.Contains($"rabbitmqctl delete_queue '{fleet.Scope}.kept.scores.matches'", refused.Message, StringComparison.Ordinal);
        await bare.QueueDeleteAsync($"{fleet.Scope}.kept.scores.matches", ifUnused: false, ifEmpty: false);
        await another.SubscribeAsync("matches", Kept, "scores", s_eight);
    }

    [Fact]
    public async Task Hosts_that_join_and_leave_handle_each_key_in_order_and_lose_nothing()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<(long Number, string Host)>();
        var publisher = await fleet.AddAsync();
        var first = await JoinAsync("first");
        using var stop = new CancellationTokenSource();
        var count = 0;
        var publishing = Task.Run(async () =>
        {
            for (; !stop.IsCancellationRequested; count++)
            {
                Assert.Equal(SendStatus.Sent, await publisher.PublishAsync("matches", new Numbered(count), $"match {count % Keys}"));
                if (count % Keys > 0)
                    continue;
                do
                    await Task.Delay(5); // leaves time to the consumers, which are slow on a busy machine
                while (got.Messages.Count < count - MaxWaiting && !stop.IsCancellationRequested);
            }
        });
        await JoinAsync("second");
        await got.UntilAsync(static all => all.Any(static one => one.Message.Host == "second"));
        var third = await JoinAsync("third");
        await got.UntilAsync(static all => all.Any(static one => one.Message.Host == "third"));
        await first.DisposeAsync().AsTask().InTime();
        await third.DisposeAsync().AsTask().InTime();
        await stop.CancelAsync();
        await publishing.InTime();

        await got.UntilAsync(all => all.Select(static one => one.Message.Number).Distinct().Count() == count);
        foreach (var key in got.Messages.GroupBy(static one => one.Number % Keys))
        {
            var numbers = key.Select(static one => one.Number).ToList();
            Assert.Equal(numbers.Order(), numbers);
        }

        async Task<RabbitHost> JoinAsync(string name)
        {
            var host = await fleet.AddAsync(host => host.On(async (Numbered message, Origin from) =>
            {
                await Task.Yield();
                got.Add((message.Number, name), from);
            }));
            await host.SubscribeAsync("matches", Kept, "scores", s_eight);
            return host;
        }
    }

    [Fact]
    public async Task Partition_whose_handler_runs_longer_than_StopTimeout_stays_and_goes_on()
    {
        await using var fleet = new Fleet(broker.Get());
        var (first, release) = (new Received<Numbered>(), new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        var host = await fleet.AddAsync(
            host => host.On(async (Numbered message, Origin from) =>
            {
                first.Add(in message, from);
                await release.Task;
            }),
            new RabbitOptions { StopTimeout = Fleet.ShortStop });
        var kept = new TaskCompletionSource<(Subscription, int)>(TaskCreationOptions.RunContinuationsAsynchronously);
        host.HandoverGivenUp += (subscription, partition) => kept.TrySetResult((subscription, partition));
        var subscription = await host.SubscribeAsync("matches", Kept, "scores", new SubscriptionOptions { Partitions = 2 });
        string[] keys = ["a", "b"];
        Assert.NotEqual(PartitionSlot.Of("a") % 2, PartitionSlot.Of("b") % 2);
        foreach (var key in keys)
            host.Publish("matches", new Numbered(0), key);
        await first.CountAsync(2); // in both partitions
        var second = new Received<Numbered>();
        var joined = await fleet.AddAsync(host => host.On<Numbered>(second.Add));
        await joined.SubscribeAsync("matches", Kept, "scores", new SubscriptionOptions { Partitions = 2 });

        var (reported, partition) = await kept.Task.InTime();
        Assert.Same(subscription, reported);
        Assert.InRange(partition, 0, 1);
        Assert.True(host.GetStatistics().HandoversGivenUp >= 1);
        release.SetResult();
        await Until.TrueAsync(() =>
        {
            foreach (var key in keys)
                host.Publish("matches", new Numbered(1), key);
            return second.Count > 0; // a partition was handed over
        });
        Assert.Equal(0, host.GetStatistics().Unacknowledged);
    }

    [Fact]
    public async Task Message_whose_handler_throws_comes_again_before_the_next_of_its_key()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(
            host => host.On((in Numbered message, Origin from) =>
            {
                got.Add(in message, from);
                if (message.Number == 2 && from.Tries < 3)
                    throw new InvalidOperationException("Not yet.");
            }),
            new RabbitOptions { RetryDelay = TimeSpan.FromMilliseconds(1) });
        await host.SubscribeAsync("matches", Kept, "scores", new SubscriptionOptions { Partitions = 2 });

        for (var number = 1; number <= 4; number++)
            host.Publish("matches", new Numbered(number), "match");

        await got.CountAsync(6);
        Assert.Equal([1L, 2L, 2L, 2L, 3L, 4L], got.Messages.Select(static message => message.Number));
    }

    [Fact]
    public async Task Messages_without_a_key_arrive_and_groups_without_partitions_receive_messages_with_a_key()
    {
        await using var fleet = new Fleet(broker.Get());
        var (partitioned, plain) = (new Received<Numbered>(), new Received<Numbered>());
        var host = await fleet.AddAsync(host => host.On<Numbered>(partitioned.Add));
        await host.SubscribeAsync("matches", Kept, "scores", new SubscriptionOptions { Partitions = 2 });
        var other = await fleet.AddAsync(host => host.On<Numbered>(plain.Add));
        await other.SubscribeAsync("matches", Kept, "archive");

        host.Publish("matches", new Numbered(1), Kept);
        host.Publish("matches", new Numbered(2), "match");

        await partitioned.CountAsync(2);
        await plain.CountAsync(2);
    }

    [Fact]
    public async Task Group_that_exists_without_partitions_is_refused()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();
        await (await host.SubscribeAsync("matches", Kept, "scores")).DisposeAsync();

        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => host.SubscribeAsync("matches", Kept, "scores", s_eight));

        Assert.Contains("'scores'", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Another_number_of_partitions_is_refused_and_RemoveGroupAsync_allows_it()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();
        var subscription = await host.SubscribeAsync("matches", Kept, "scores", new SubscriptionOptions { Partitions = 2 });

        var refused = await Assert.ThrowsAsync<OperationInterruptedException>(() => host.SubscribeAsync("matches", Kept, "scores", new SubscriptionOptions { Partitions = 3 }));

        Assert.Contains($"{fleet.Scope}.unkeyed.scores.2.matches", refused.Message, StringComparison.Ordinal);
        await subscription.DisposeAsync();
        await fleet.ConsumersAsync($"{fleet.Scope}.partition.scores.0.matches", 0); // the broker counts an ended consumer for a moment
        await host.RemoveGroupAsync("matches", "scores");
        await host.SubscribeAsync("matches", Kept, "scores", new SubscriptionOptions { Partitions = 3 });
    }
}
