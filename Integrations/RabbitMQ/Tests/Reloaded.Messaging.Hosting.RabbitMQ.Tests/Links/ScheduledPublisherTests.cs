using System;
using System.Linq;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Links;

/// <summary>Messages that reach their topic after a delay, and the ids that programs give to messages.</summary>
public sealed class ScheduledPublisherTests(BrokerFixture broker)
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    private static readonly TimeSpan s_short = TimeSpan.FromMilliseconds(200);

    [Fact]
    public async Task Scheduled_message_comes_unmarked_after_a_message_that_was_published_later()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await host.SubscribeAsync("orders.*", Kept, "shop");

        await host.SchedulePublishAsync("orders.books", new Numbered(1), s_short, new PublishOptions { MessageId = "one" }).InTime();
        Assert.Equal(1, host.GetStatistics().Confirmed);
        host.Publish("orders.books", new Numbered(2), new PublishOptions { MessageId = "two" });

        await got.CountAsync(2);
        Assert.Equal([2L, 1L], got.Messages.Select(static message => message.Number));
        Assert.Equal(new Origin(host.Id, "orders.books", 1, IsRepeated: false, Tries: 1) { MessageId = "two" }, got.All[0].From);
        Assert.Equal(new Origin(host.Id, "orders.books", 0, IsRepeated: false, Tries: 1) { MessageId = "one" }, got.All[1].From);
    }

    [Fact]
    public async Task Scheduled_message_whose_handler_throws_comes_again_marked_with_its_id()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On((in Numbered message, Origin from) =>
        {
            got.Add(in message, from);
            if (from.Tries == 1)
                throw new InvalidOperationException("on purpose");
        }), new RabbitOptions { RetryDelay = TimeSpan.FromMilliseconds(1) });
        await host.SubscribeAsync("orders.*", Kept, "shop");

        await host.SchedulePublishAsync("orders.books", new Numbered(1), TimeSpan.Zero).InTime();

        await got.CountAsync(2);
        var (first, second) = (got.All[0].From, got.All[1].From);
        Assert.Equal((false, 1), (first.IsRepeated, first.Tries));
        Assert.Equal(first with { IsRepeated = true, Tries = 2 }, second);
        Assert.Equal(32, second.MessageId?.Length); // a random id
    }

    [Fact]
    public async Task Scheduled_message_that_dies_keeps_its_topic()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();
        await host.SubscribeAsync("orders.*", Kept, "shop");

        await host.SchedulePublishAsync("orders.books", new Unhandled(1), TimeSpan.Zero).InTime();

        await Until.TrueAsync(() => host.GetStatistics().DeadLettered == 1);
        await using var queue = await DeadLetterQueue.OpenAsync(Fleet.FactoryOf(fleet.Port), "orders.*", "shop", new RabbitOptions { Scope = fleet.Scope }).InTime();
        await Until.TrueAsync(async () => (await queue.CountAsync()).DeadLetters == 1);
        await foreach (var letter in queue.ReadAsync())
            Assert.Equal(("orders.books", true, 1L), (letter.Origin.Topic, letter.Origin.IsRepeated, letter.Deaths));
    }

    [Fact]
    public async Task Scheduled_message_without_a_group_waits_for_the_first_subscription()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await host.SchedulePublishAsync("orders", new Numbered(1), TimeSpan.Zero).InTime();
        await using var bare = await fleet.AddBareAsync();
        await Until.TrueAsync(async () => await bare.MessageCountAsync($"{fleet.Scope}.later.64.orders") == 0);

        await host.SubscribeAsync("orders", Kept, "shop");

        await got.CountAsync(1);
    }

    [Fact]
    public async Task Scheduled_message_above_the_length_of_its_queue_throws()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync(options: new RabbitOptions { MaxQueueLength = 1 });

        await Assert.ThrowsAsync<PublishException>(async () =>
        {
            for (var number = 0; number < 1000; number++) // the limit of a quorum queue is not exact
                await host.SchedulePublishAsync("orders", new Numbered(number), TimeSpan.FromHours(1)).InTime();
        });
    }

    [Fact]
    public async Task Scheduled_message_with_a_key_goes_to_the_partition_of_the_key()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        var subscription = await host.SubscribeAsync("matches", Kept, "scores", new SubscriptionOptions { Partitions = 4 });
        await subscription.DisposeAsync();
        var partition = (PartitionSlot.Of("match 7") - 1) % 4;

        await host.SchedulePublishAsync("matches", new Numbered(7), TimeSpan.Zero, new PublishOptions { Key = "match 7" }).InTime();

        await using var bare = await fleet.AddBareAsync();
        await Until.TrueAsync(async () => await bare.MessageCountAsync($"{fleet.Scope}.partition.scores.{partition}.matches") == 1);
    }

    [Fact]
    public async Task Message_that_the_broker_does_not_store_in_time_fails()
    {
        using var stoppable = new StoppableWay(broker.Get().Port);
        await using var host = await RabbitHost.ConnectAsync(Fleet.FactoryOf(stoppable.Port), options: new RabbitOptions { StopTimeout = Fleet.ShortStop, ConfirmTimeout = TimeSpan.FromMilliseconds(100) }).InTime();
        stoppable.Stop("publishes");

        var refused = await Assert.ThrowsAsync<TimeoutException>(() => host.SchedulePublishAsync("orders", new Numbered(1), TimeSpan.Zero).InTime());

        Assert.Contains(".later.64.orders' within 00:00:00.1", refused.Message, StringComparison.Ordinal);
        Assert.Equal(0, host.GetStatistics().Confirmed);
    }

    [Fact]
    public async Task Message_with_an_id_is_not_part_of_a_batch()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add), new RabbitOptions { BatchDelay = TimeSpan.FromMilliseconds(20) });
        await host.SubscribeAsync("orders", Kept, "shop");

        host.Publish("orders", new Numbered(1), Kept);
        host.Publish("orders", new Numbered(2), new PublishOptions { MessageId = "two" });
        await host.PublishAsync("orders", new Numbered(3), new PublishOptions { MessageId = "three" }).AsTask().InTime();
        host.Publish("orders", new Numbered(4), Kept);

        await got.CountAsync(4);
        Assert.Equal([null, "two", "three", null], got.All.Select(static one => one.From.MessageId));
        Assert.Equal([1UL, 2, 3, 4], got.All.Select(static one => one.From.Number));
    }

    [Fact]
    public void Id_above_255_bytes_throws() =>
        Assert.Contains("256", Assert.Throws<ArgumentException>(() => new PublishOptions { MessageId = new string('x', 256) }).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData(0, 64)]
    [InlineData(64, 64)]
    [InlineData(65, 72)]
    [InlineData(1000, 1024)]
    [InlineData(30_000, 30_720)]
    [InlineData(86_400_000, 92_274_688)]
    public void Delay_is_rounded_up_to_an_eighth(int milliseconds, int expected) =>
        Assert.Equal(expected, ScheduledPublisher.QueueDelayOf(TimeSpan.FromMilliseconds(milliseconds)));
}
