using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Publishing;

/// <summary>What at least once promises, with a broker that stays.</summary>
[Collection(DisturbedBroker.Name)]
public sealed class AtLeastOnceTests(BrokerFixture broker)
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    [Fact]
    public async Task What_a_group_missed_while_nobody_was_there_waits_for_it()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var publisher = await fleet.AddAsync();
        var first = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await first.SubscribeAsync("results", Kept, "archive");
        await first.DisposeAsync();

        for (var number = 0; number < 100; number++)
            publisher.Publish("results", new Numbered(number), Kept);
        await publisher.FlushAsync().InTime();
        Assert.Equal(0, publisher.GetStatistics().Unconfirmed);
        var second = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await second.SubscribeAsync("results", Kept, "archive");

        await got.CountAsync(100);
        Assert.Equal(Enumerable.Range(0, 100).Select(static number => new Numbered(number)), got.Messages);
        Assert.All(got.All, static one => Assert.False(one.From.IsRepeated));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_message_whose_handler_throws_comes_again_with_a_mark_and_then_goes_to_the_dead_letters(bool isAsync)
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(
            host =>
            {
                if (isAsync)
                {
                    host.On(async (Numbered message, Origin from) =>
                    {
                        await Task.Yield();
                        Handle(in message, from);
                    });
                }
                else
                {
                    host.On<Numbered>(Handle);
                }
            },
            new RabbitOptions { MaxTries = 3, RetryDelay = TimeSpan.Zero });
        await host.SubscribeAsync("orders", Kept, "shop");
        await using var bare = await fleet.AddBareAsync();

        host.Publish("orders", new Numbered(1), Kept);
        host.Publish("orders", new Numbered(2), Kept);

        BasicGetResult? dead = null;
        await Until.TrueAsync(async () => (dead = await bare.BasicGetAsync($"{fleet.Scope}.dead.shop.orders", autoAck: true)) is not null);
        Assert.Equal([1, 1, 0, 0, 0, 0, 0, 0, 0], dead!.Body.ToArray());
        Assert.Equal([1, 2, 3], got.All.Where(static one => one.Message.Number == 1).Select(static one => one.From.Tries));
        Assert.Equal([false, true, true], got.All.Where(static one => one.Message.Number == 1).Select(static one => one.From.IsRepeated));
        Assert.Equal(1, got.All.Count(static one => one.Message.Number == 2));
        var counts = host.GetStatistics();
        Assert.Equal((3, 2, 2, 1), (counts.HandlerFailures, counts.Retried, counts.Repeated, counts.DeadLettered));

        void Handle(in Numbered message, Origin from)
        {
            got.Add(in message, from);
            if (message.Number == 1)
                throw new InvalidOperationException("Not this one.");
        }
    }

    [Fact]
    public async Task What_nobody_can_handle_goes_to_the_dead_letters_at_once()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync(static host => host.On(static (in Numbered _, Origin _) => { }));
        await host.SubscribeAsync("orders", Kept, "shop");
        await using var bare = await fleet.AddBareAsync();

        host.Publish("orders", new Unhandled(7), Kept);

        BasicGetResult? dead = null;
        await Until.TrueAsync(async () => (dead = await bare.BasicGetAsync($"{fleet.Scope}.dead.shop.orders", autoAck: true)) is not null);
        Assert.Equal([5, 7, 0, 0, 0], dead!.Body.ToArray());
        Assert.Equal(1, host.GetStatistics().DeadLettered);
    }

    [Fact]
    public async Task A_message_whose_handler_has_not_ended_goes_to_another_when_its_host_is_gone()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var first = await fleet.AddAsync(
            host => host.On(async (Numbered message, Origin _) =>
            {
                if (message.Number == 1)
                    return;
                started.TrySetResult();
                await Task.Delay(Timeout.Infinite);
            }),
            new RabbitOptions { StopTimeout = TimeSpan.FromMilliseconds(100) });
        await first.SubscribeAsync("orders", Kept, "shop");
        var second = await fleet.AddAsync(host => host.On<Numbered>(got.Add));

        second.Publish("orders", new Numbered(1), Kept);
        second.Publish("orders", new Numbered(2), Kept);
        await started.Task.InTime();
        await first.DisposeAsync().AsTask().InTime();
        await second.SubscribeAsync("orders", Kept, "shop");

        await got.CountAsync(1);
        Assert.Equal([(new Numbered(2), new Origin(second.Id, "orders", 2, IsRepeated: true, Tries: 2))], got.All);
    }

    [Fact]
    public async Task A_full_queue_is_said_to_the_publisher_and_loses_nothing()
    {
        await using var fleet = new Fleet(broker.Get());
        var options = new RabbitOptions { MaxQueueLength = 100, Prefetch = 10, Limits = new HostLimits { MaxPendingBytes = 100_000 } };
        var got = new Received<Numbered>();
        using var gate = new ManualResetEventSlim();
        var consumer = await fleet.AddAsync(
            host => host.On((in Numbered message, Origin from) =>
            {
                gate.Wait();
                got.Add(in message, from);
            }),
            options);
        await consumer.SubscribeAsync("orders", Kept, "shop");
        var publisher = await fleet.AddAsync(options: options);

        var published = 0;
        await Until.TrueAsync(() =>
        {
            while (publisher.Publish("orders", new Numbered(published), Kept) == SendStatus.Sent)
                published++;
            return publisher.GetStatistics().Rejected > 0;
        });
        Assert.True(publisher.GetStatistics().Unconfirmed > 100);
        gate.Set();

        await got.UntilAsync(all => all.Select(static one => one.Message.Number).Distinct().Count() == published);
        var seen = got.All.GroupBy(static one => one.Message.Number).ToList();
        Assert.All(seen, static all => Assert.All(all.Skip(1), static again => Assert.True(again.From.IsRepeated)));
    }

    [Fact]
    public async Task A_full_queue_keeps_no_other_topic_waiting()
    {
        await using var fleet = new Fleet(broker.Get());
        var options = new RabbitOptions { MaxQueueLength = 100, Prefetch = 10 };
        var (stuck, other) = (new Received<Numbered>(), new Received<Numbered>());
        using var gate = new ManualResetEventSlim();
        var slow = await fleet.AddAsync(
            host => host.On((in Numbered message, Origin from) =>
            {
                gate.Wait();
                stuck.Add(in message, from);
            }),
            options);
        await slow.SubscribeAsync("orders", Kept, "shop");
        var idle = await fleet.AddAsync(host => host.On<Numbered>(other.Add), options);
        await idle.SubscribeAsync("visits", Kept, "shop");
        var publisher = await fleet.AddAsync(options: options);
        for (var number = 0; number < 3000; number++)
            Assert.Equal(SendStatus.Sent, publisher.Publish("orders", new Numbered(number), Kept));
        await Until.TrueAsync(() => publisher.GetStatistics().Rejected > 0);

        publisher.Publish("visits", new Numbered(1), Kept);

        await other.CountAsync(1);
        gate.Set();
        await stuck.UntilAsync(static all => all.Select(static one => one.Message.Number).Distinct().Count() == 3000);
    }

    [Fact]
    public async Task A_large_message_waits_for_room_of_its_size_on_no_thread_and_its_token_ends_the_wait()
    {
        await using var fleet = new Fleet(broker.Get());
        var factory = Fleet.FactoryOf(broker.Get().Port);
        var options = new RabbitOptions { Limits = new HostLimits { MaxPendingBytes = 1 << 20 } };
        var host = await fleet.AddAsync(options: options, factory: factory);
        await fleet.CutAsync(host, factory);
        var large = new Text(new string('x', 280 * 1024));
        for (var number = 0; number < 3; number++)
            Assert.Equal(SendStatus.Sent, host.Publish("files", large, Kept)); // which leaves 184 KiB
        using var source = new CancellationTokenSource();

        var canceled = await Deadline.RunAside(() => host.PublishAsync("files", large, Kept, source.Token).AsTask()).InTime();
        var waiting = await Deadline.RunAside(() => host.PublishAsync("files", large, Kept).AsTask()).InTime();

        Assert.False(canceled.IsCompleted || waiting.IsCompleted);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => canceled.InTime());
        factory.Port = broker.Get().Port;
        Assert.Equal(SendStatus.Sent, await waiting.InTime());
        await host.FlushAsync().InTime();
        Assert.Equal(0, host.GetStatistics().Unconfirmed);
    }
}
