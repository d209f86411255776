using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Publishing;

/// <summary>Dead letters that are moved back, and too many of them.</summary>
public sealed class DeadLetterTests(BrokerFixture broker)
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    [Fact]
    public async Task Dead_letter_moved_back_is_marked_and_keeps_its_topic()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(
            host => host.On((in Numbered message, Origin from) =>
            {
                got.Add(in message, from);
                if (got.Count <= 2)
                    throw new InvalidOperationException("Not yet.");
            }),
            new RabbitOptions { MaxTries = 1 });
        await host.SubscribeAsync("orders.*", Kept, "shop");
        await using var bare = await fleet.AddBareAsync();
        host.Publish("orders.books", new Numbered(1), Kept);

        for (var death = 1; death <= 2; death++)
        {
            BasicGetResult? dead = null;
            await Until.TrueAsync(async () => (dead = await bare.BasicGetAsync($"{fleet.Scope}.dead.shop.orders.*", autoAck: true)) is not null);
            await bare.BasicPublishAsync("", $"{fleet.Scope}.kept.shop.orders.*", mandatory: true, new BasicProperties(dead!.BasicProperties), dead.Body);
            await got.CountAsync(death + 1);
        }

        // RabbitMQ 4 drops the record of the topic when another program publishes a message that has died twice.
        var last = await broker.Get().IsVersion4Async() ? $"{fleet.Scope}.kept.shop.orders.*" : "orders.books";
        Assert.Equal(
            [
                new Origin(host.Id, "orders.books", 1, IsRepeated: false, Tries: 1),
                new Origin(host.Id, "orders.books", 1, IsRepeated: true, Tries: 1),
                new Origin(host.Id, last, 1, IsRepeated: true, Tries: 1),
            ],
            got.All.Select(static one => one.From));
    }

    [Fact]
    public async Task Message_without_a_handler_and_message_that_cannot_be_read_are_reported_as_dead_letters()
    {
        await using var fleet = new Fleet(broker.Get());
        var failures = new ConcurrentQueue<RabbitFailure>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(static _ => { }));
        host.HandlerFailed += failures.Enqueue;
        await host.SubscribeAsync("orders", Kept, "shop");
        await using var bare = await fleet.AddBareAsync();

        host.Publish("orders", new Unhandled(1), Kept);
        await Until.TrueAsync(() => failures.Count == 1);
        await bare.BasicPublishAsync($"{fleet.Scope}.at-least-once", "orders", new byte[] { 255, 255 });
        await Until.TrueAsync(() => failures.Count == 2);

        Assert.Equal(
            ["The message becomes a dead letter. This host has no handler of its type.", "The message becomes a dead letter. It has no header of this library."],
            failures.Select(static failure => failure.Exception.Message));
        Assert.Equal((5u, "orders", 0u), (failures.First().Type, failures.First().From.Topic, failures.Last().Type));
    }

    [Fact]
    public async Task Full_dead_letters_lose_the_oldest_and_the_group_goes_on()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add), new RabbitOptions { MaxQueueLength = 10 });
        var full = new TaskCompletionSource<Subscription>(TaskCreationOptions.RunContinuationsAsynchronously);
        host.DeadLettersFull += subscription => full.TrySetResult(subscription);
        var subscription = await host.SubscribeAsync("orders", Kept, "shop");

        for (var number = 0; number < 100; number++)
            host.Publish("orders", new Unhandled(number), Kept);
        await Until.TrueAsync(() => host.GetStatistics().DeadLettered == 100);
        for (var number = 0; number < 20; number++)
            host.Publish("orders", new Numbered(number), Kept);

        await got.UntilAsync(static all => all.Select(static one => one.Message.Number).Distinct().Count() == 20);
        Assert.Same(subscription, await full.Task.InTime());
        await Until.TrueAsync(() => host.GetStatistics().DeadLettersOverflowed == 90);
    }

    [Fact]
    public async Task Deleted_queue_of_dead_letters_is_declared_again_and_no_dead_letter_is_forgotten()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync(options: new RabbitOptions { MaxQueueLength = 10 });
        await host.SubscribeAsync("orders", Kept, "shop");
        await using var bare = await fleet.AddBareAsync();
        var dead = $"{fleet.Scope}.dead.shop.orders";

        await bare.QueueDeleteAsync(dead, ifUnused: false, ifEmpty: false);
        for (var number = 0; number < 30; number++)
            host.Publish("orders", new Unhandled(number), Kept);
        await Until.TrueAsync(async () => await broker.Get().GetQueueAsync(dead, "messages") == "[{messages,10}]" && host.GetStatistics().DeadLettered == 30);

        host.Publish("orders", new Unhandled(30), Kept);
        host.Publish("orders", new Unhandled(31), Kept);
        await Until.TrueAsync(() => host.GetStatistics().DeadLettersOverflowed == 22);
    }

    [Fact]
    public async Task Full_dead_letters_stop_the_group_where_the_option_says_so()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync(options: new RabbitOptions { MaxQueueLength = 10, DeadLetterFullMode = FullMode.Wait, StopTimeout = Fleet.ShortStop });
        var full = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        host.DeadLettersFull += _ => full.TrySetResult();
        await host.SubscribeAsync("orders", Kept, "shop");

        await Until.TrueAsync(() =>
        {
            host.Publish("orders", new Unhandled(1), Kept);
            return host.GetStatistics().Rejected > 0;
        });

        await full.Task.InTime();
    }
}
