using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Publishing;

/// <summary>Topics and groups, in both kinds.</summary>
public sealed class TopicTests(BrokerFixture broker)
{
    [Fact]
    public async Task Each_subscriber_gets_each_message_in_order()
    {
        await using var fleet = new Fleet(broker.Get());
        var (one, two) = (new Received<Numbered>(), new Received<Numbered>());
        var publisher = await fleet.AddAsync(options: new RabbitOptions { Name = "lobby" });
        var first = await fleet.AddAsync(host => host.On<Numbered>(one.Add));
        var second = await fleet.AddAsync(host => host.On<Numbered>(two.Add));
        await first.SubscribeAsync("scores");
        await second.SubscribeAsync("scores");

        for (var number = 0; number < 1000; number++)
            Assert.Equal(SendStatus.Sent, await publisher.PublishAsync("scores", new Numbered(number)));

        await one.CountAsync(1000);
        await two.CountAsync(1000);
        Assert.Equal(Enumerable.Range(0, 1000).Select(static number => new Numbered(number)), one.Messages);
        Assert.Equal(one.Messages, two.Messages);
        Assert.StartsWith("lobby.", publisher.Id, StringComparison.Ordinal);
        Assert.Equal(new Origin(publisher.Id, "scores", 1000, IsRepeated: false, Tries: 1), one.All[^1].From);
        Assert.Equal(0, first.GetStatistics().Missed);
    }

    [Theory]
    [InlineData(DeliveryKind.AtMostOnce)]
    [InlineData(DeliveryKind.AtLeastOnce)]
    public async Task A_group_shares_the_messages(DeliveryKind kind)
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var publisher = await fleet.AddAsync();
        var counts = new int[2];
        for (var member = 0; member < 2; member++)
        {
            var index = member;
            var host = await fleet.AddAsync(
                host => host.On((in Numbered message, Origin from) =>
                {
                    counts[index]++;
                    got.Add(in message, from);
                }),
                new RabbitOptions { Prefetch = 1 });
            await host.SubscribeAsync("matches", kind, "servers");
        }

        for (var number = 0; number < 200; number++)
            Assert.Equal(SendStatus.Sent, publisher.Publish("matches", new Numbered(number), kind));

        await got.CountAsync(200);
        Assert.Equal(Enumerable.Range(0, 200).Select(static number => (long)number), got.Messages.Select(static message => message.Number).Order());
        Assert.All(counts, static count => Assert.NotEqual(0, count));
    }

    [Fact]
    public async Task A_pattern_takes_in_the_topics_it_matches()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await host.SubscribeAsync("servers.*.load");

        host.Publish("servers.1.load", new Numbered(1));
        host.Publish("servers.1.memory", new Numbered(2));
        host.Publish("servers.2.load", new Numbered(3));

        await got.CountAsync(2);
        Assert.Equal(["servers.1.load", "servers.2.load"], got.All.Select(static one => one.From.Topic));
        Assert.Equal([1UL, 1UL], got.All.Select(static one => one.From.Number));
    }

    [Fact]
    public async Task The_two_kinds_are_apart()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var unrouted = new ConcurrentQueue<string>();
        var host = await fleet.AddAsync(host =>
        {
            host.On<Numbered>(got.Add);
            host.PublicationUnrouted += unrouted.Enqueue;
        });
        await host.SubscribeAsync("news");

        for (var i = 0; i < 3; i++)
            host.Publish("news", new Numbered(1), DeliveryKind.AtLeastOnce);
        await host.FlushAsync().InTime();
        host.Publish("news", new Numbered(2));

        await got.CountAsync(1);
        Assert.Equal([new Numbered(2)], got.Messages);
        Assert.Equal(3, host.GetStatistics().Unrouted);
        Assert.Equal(["news"], unrouted); // once for each topic
    }

    [Fact]
    public async Task A_handler_that_takes_its_time_holds_up_no_other_of_its_subscription()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var host = await fleet.AddAsync(
            host => host.On(async (Numbered message, Origin from) =>
            {
                if (message.Number == 100)
                    await release.Task;
                else if (message.Number % 3 == 0)
                    await Task.Yield();
                got.Add(in message, from);
            }),
            new RabbitOptions { Prefetch = 8 });
        await host.SubscribeAsync("moves").InTime();

        for (var number = 0; number < 1000; number++)
            host.Publish("moves", new Numbered(number));
        await got.CountAsync(999);
        release.SetResult();
        for (var number = 1000; number < 2000; number++)
            host.Publish("moves", new Numbered(number));

        await got.CountAsync(2000);
        Assert.Equal(Enumerable.Range(0, 2000).Select(static number => (long)number), got.Messages.Select(static message => message.Number).Order());
        Assert.Equal((0L, 0L), (host.GetStatistics().Disconnects, host.GetStatistics().Unacknowledged));
    }

    [Fact]
    public async Task An_asynchronous_handler_that_is_registered_after_a_message_was_taken_for_synchronous_handles_it()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync();
        await host.SubscribeAsync("scores").InTime();
        // What a registration leaves to one who looked for asynchronous handlers just before it.
        host.Inbox.Handlers.Dispatcher.Register(MessageContract.GetDeclared<Numbered>(), (Numbered message, Incoming incoming, CancellationToken _) =>
        {
            got.Add(in message, incoming.From);
            return default;
        });

        host.Publish("scores", new Numbered(1));

        await got.CountAsync(1);
        Assert.Equal((false, 0L), (host.Inbox.Handlers.HasAsyncHandlers, host.GetStatistics().Malformed));
    }

    [Fact]
    public async Task A_disposed_subscription_receives_no_more_and_others_go_on()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        var ended = await host.SubscribeAsync("one");
        await host.SubscribeAsync("two");

        await ended.DisposeAsync();
        host.Publish("one", new Numbered(1));
        host.Publish("two", new Numbered(2));

        await got.CountAsync(1);
        Assert.Equal([new Numbered(2)], got.Messages);
        Assert.Equal(LinkState.Connected, host.State);
    }

    [Fact]
    public async Task A_disposed_host_says_Closed()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();
        await host.DisposeAsync();

        Assert.Equal(SendStatus.Closed, host.Publish("any", new Numbered(1)));
        Assert.Equal(SendStatus.Closed, await host.PublishAsync("any", new Numbered(1), DeliveryKind.AtLeastOnce));
        Assert.Equal((0, 2), (host.GetStatistics().SendsFull, host.GetStatistics().SendsClosed));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => host.SubscribeAsync("any"));
        await host.DisposeAsync();
    }

    [Fact]
    public async Task At_least_once_needs_a_group_and_names_have_limits()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();

        await Assert.ThrowsAsync<ArgumentException>(() => host.SubscribeAsync("any", DeliveryKind.AtLeastOnce));
        var tooLong = Assert.Throws<ArgumentException>(() => host.Publish(new string('x', 121), new Numbered(1)));
        Assert.Contains("121 bytes", tooLong.Message, StringComparison.Ordinal);
        Assert.Equal(SendStatus.Sent, host.Publish(new string('x', 120), new Numbered(1)));
    }

    [Fact]
    public async Task Names_that_would_make_two_groups_share_a_queue_are_refused()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();

        var group = await Assert.ThrowsAsync<ArgumentException>(() => host.SubscribeAsync("results", DeliveryKind.AtLeastOnce, "lobby.eu"));
        var scope = Assert.Throws<ArgumentException>(static () => new RabbitOptions { Scope = "fleet.kept" });

        Assert.Contains("'lobby.eu' contains a dot", group.Message, StringComparison.Ordinal);
        Assert.Contains("'fleet.kept' contains a dot", scope.Message, StringComparison.Ordinal);
        await host.SubscribeAsync("results", DeliveryKind.AtLeastOnce, "lobby");
        await host.SubscribeAsync("results.dead", DeliveryKind.AtLeastOnce, "lobby"); // not the dead letters of the other
    }
}
