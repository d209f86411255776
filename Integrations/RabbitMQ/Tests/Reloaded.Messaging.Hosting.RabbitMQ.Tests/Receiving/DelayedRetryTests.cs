using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Receiving;

/// <summary>Messages whose handlers threw wait at the broker before they come again.</summary>
public sealed class DelayedRetryTests(BrokerFixture broker)
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Message_comes_again_with_its_origin_after_messages_that_were_published_later(bool isAsync)
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
            new RabbitOptions { MaxTries = 3, RetryDelay = TimeSpan.FromMilliseconds(1) });
        await host.SubscribeAsync("orders.*", Kept, "shop");

        host.Publish("orders.books", new Numbered(1), Kept);
        host.Publish("orders.books", new Numbered(2), Kept);

        await got.CountAsync(4);
        Assert.Equal([1L, 2L, 1L, 1L], got.Messages.Select(static message => message.Number));
        Assert.Equal(
            [
                new Origin(host.Id, "orders.books", 1, IsRepeated: false, Tries: 1),
                new Origin(host.Id, "orders.books", 1, IsRepeated: true, Tries: 2),
                new Origin(host.Id, "orders.books", 1, IsRepeated: true, Tries: 3),
            ],
            got.All.Where(static one => one.Message.Number == 1).Select(static one => one.From));
        Assert.Equal((2, 0, 0), (host.GetStatistics().Retried, host.GetStatistics().DeadLettered, host.GetStatistics().Undelayed));

        void Handle(in Numbered message, Origin from)
        {
            got.Add(in message, from);
            if (message.Number == 1 && from.Tries < 3)
                throw new InvalidOperationException("Not yet.");
        }
    }

    [Fact]
    public async Task Last_try_becomes_a_dead_letter_that_has_all_tries_again_when_moved_back()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(
            host => host.On((in Numbered message, Origin from) =>
            {
                got.Add(in message, from);
                throw new InvalidOperationException("Never.");
            }),
            new RabbitOptions { MaxTries = 2, RetryDelay = TimeSpan.FromMilliseconds(1) });
        await host.SubscribeAsync("orders", Kept, "shop");
        await using var bare = await fleet.AddBareAsync();

        host.Publish("orders", new Numbered(1), Kept);
        BasicGetResult? dead = null;
        await Until.TrueAsync(async () => (dead = await bare.BasicGetAsync($"{fleet.Scope}.dead.shop.orders", autoAck: true)) is not null);
        await bare.BasicPublishAsync("", $"{fleet.Scope}.kept.shop.orders", mandatory: true, new BasicProperties(dead!.BasicProperties), dead.Body);

        await got.CountAsync(4);
        Assert.Equal([(1, false), (2, true), (1, true), (2, true)], got.All.Select(static one => (one.From.Tries, one.From.IsRepeated)));
        Assert.All(got.All, static one => Assert.Equal("orders", one.From.Topic));
    }

    [Fact]
    public async Task Message_survives_the_host_that_delayed_it()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var options = new RabbitOptions { RetryDelay = TimeSpan.FromMilliseconds(500) };
        var first = await fleet.AddAsync(static host => host.On(static (in Numbered _, Origin _) => throw new InvalidOperationException("Not here.")), options);
        await first.SubscribeAsync("orders", Kept, "shop");
        await using var bare = await fleet.AddBareAsync();
        first.Publish("orders", new Numbered(1), Kept);
        await Until.TrueAsync(() => first.GetStatistics().Retried == 1);
        await first.DisposeAsync().AsTask().InTime();

        var second = await fleet.AddAsync(host => host.On<Numbered>(got.Add), options);
        await second.SubscribeAsync("orders", Kept, "shop");

        await got.CountAsync(1);
        Assert.Equal(new Origin(first.Id, "orders", 1, IsRepeated: true, Tries: 2), got.All[0].From);
    }

    [Fact]
    public async Task RemoveGroupAsync_deletes_delayed_messages()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync(static host => host.On(static (in Numbered _, Origin _) => throw new InvalidOperationException("Never.")));
        var subscription = await host.SubscribeAsync("orders", Kept, "shop", new SubscriptionOptions { RetryDelay = s_hour });
        await using var bare = await fleet.AddBareAsync();
        host.Publish("orders", new Numbered(1), Kept);
        await Until.TrueAsync(() => host.GetStatistics().Retried == 1);
        await subscription.DisposeAsync();
        await fleet.ConsumersAsync($"{fleet.Scope}.kept.shop.orders", 0); // the broker counts an ended consumer for a moment
        Assert.Equal(1u, (await bare.QueueDeclarePassiveAsync($"{fleet.Scope}.delay.shop.4194304.orders")).MessageCount);

        var deleted = await host.RemoveGroupAsync("orders", "shop").InTime();

        Assert.Equal(1, deleted);
        await Assert.ThrowsAsync<OperationInterruptedException>(() => bare.QueueDeclarePassiveAsync($"{fleet.Scope}.delay.shop.4194304.orders"));
    }

    [Fact]
    public async Task Message_that_cannot_be_delayed_comes_again_at_once_and_its_queue_is_reported()
    {
        await using var fleet = new Fleet(broker.Get());
        await using var bare = await fleet.AddBareAsync();
        await bare.QueueDeclareAsync($"{fleet.Scope}.delay.shop.64.orders", durable: false, exclusive: false, autoDelete: true); // not the queue that the host declares
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(
            host => host.On((in Numbered message, Origin from) =>
            {
                got.Add(in message, from);
                if (from.Tries == 1)
                    throw new InvalidOperationException("Not yet.");
            }),
            new RabbitOptions { RetryDelay = TimeSpan.FromMilliseconds(1) });
        var failures = new ConcurrentQueue<RabbitFailure>();
        host.HandlerFailed += failures.Enqueue;
        await host.SubscribeAsync("orders", Kept, "shop");

        host.Publish("orders", new Numbered(1), Kept);

        await got.CountAsync(2);
        Assert.Equal((1, 1), (host.GetStatistics().Retried, host.GetStatistics().Undelayed));
        Assert.Equal("Not yet.", failures.First().Exception.Message);
        Assert.Contains($"The queue '{fleet.Scope}.delay.shop.64.orders' exists with other arguments.", failures.Last().Exception.Message, StringComparison.Ordinal);
        await bare.QueueDeleteAsync($"{fleet.Scope}.delay.shop.64.orders");
    }
}
