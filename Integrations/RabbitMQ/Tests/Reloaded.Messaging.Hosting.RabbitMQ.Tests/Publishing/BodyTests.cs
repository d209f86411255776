using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Publishing;

/// <summary>What the broker sees of a message, and what a host makes of what others put there.</summary>
public sealed class BodyTests(BrokerFixture broker)
{
    [Fact]
    public async Task A_message_s_body_is_the_packed_message()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();
        await using var bare = await fleet.AddBareAsync();
        var queue = (await bare.QueueDeclareAsync()).QueueName;
        await bare.QueueBindAsync(queue, $"{fleet.Scope}.at-most-once", "chat");

        host.Publish("chat", new Text("hello"));

        var got = await GetAsync(bare, queue);
        using var packed = new MessageWriter().Pack(new Text("hello"));
        Assert.Equal(packed.Span.ToArray(), got.Body.ToArray());
        Assert.Equal((host.Id, 1L, "4", "application/x-reloaded-messaging"), (got.BasicProperties.AppId, got.BasicProperties.Timestamp.UnixTime, got.BasicProperties.Type, got.BasicProperties.ContentType));
    }

    [Theory]
    [InlineData(DeliveryKind.AtMostOnce)]
    [InlineData(DeliveryKind.AtLeastOnce)]
    public async Task Batched_messages_arrive_in_order_with_their_numbers(DeliveryKind kind)
    {
        const int Count = 20_000;
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var publisher = await fleet.AddAsync(options: new RabbitOptions { BatchDelay = TimeSpan.FromMilliseconds(5) });
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await host.SubscribeAsync("moves", kind, kind == DeliveryKind.AtLeastOnce ? "all" : null);
        await using var bare = await fleet.AddBareAsync();
        var queue = (await bare.QueueDeclareAsync()).QueueName;
        await bare.QueueBindAsync(queue, kind == DeliveryKind.AtLeastOnce ? $"{fleet.Scope}.at-least-once" : $"{fleet.Scope}.at-most-once", "moves");

        for (var number = 0; number < Count; number++)
            Assert.Equal(SendStatus.Sent, await publisher.PublishAsync("moves", new Numbered(number), kind));

        await got.CountAsync(Count);
        Assert.Equal(Enumerable.Range(0, Count).Select(static number => new Numbered(number)), got.Messages);
        Assert.Equal(Enumerable.Range(1, Count).Select(static number => (ulong)number), got.All.Select(static one => one.From.Number));
        uint batches = 0;
        await Until.TrueAsync(async () => (batches = await bare.MessageCountAsync(queue)) > 0); // bound alike, and not as fast
        Assert.InRange(batches, 1U, Count / 4U); // usually some seventy; how many is the machine's to say
        Assert.Equal(0, host.GetStatistics().Missed);
    }

    [Fact]
    public async Task A_batch_holds_one_topic_and_a_single_message_goes_as_it_is()
    {
        await using var fleet = new Fleet(broker.Get());
        var publisher = await fleet.AddAsync(options: new RabbitOptions { BatchDelay = TimeSpan.FromSeconds(1) });
        await using var bare = await fleet.AddBareAsync();
        var queue = (await bare.QueueDeclareAsync()).QueueName;
        await bare.QueueBindAsync(queue, $"{fleet.Scope}.at-most-once", "#");

        publisher.Publish("a", new Unhandled(1));
        publisher.Publish("a", new Unhandled(2));
        publisher.Publish("b", new Unhandled(3));
        publisher.Publish("a", new Unhandled(4));

        var (first, second, third) = (await GetAsync(bare, queue), await GetAsync(bare, queue), await GetAsync(bare, queue));
        Assert.Equal([5, 5, 1, 0, 0, 0, 5, 5, 2, 0, 0, 0], first.Body.ToArray());
        Assert.Equal([5, 3, 0, 0, 0], second.Body.ToArray());
        Assert.Equal([5, 4, 0, 0, 0], third.Body.ToArray());
        Assert.Equal(("batch", "5", "5"), (first.BasicProperties.Type, second.BasicProperties.Type, third.BasicProperties.Type));
        Assert.Equal([1L, 1L, 3L], new[] { first, second, third }.Select(static one => one.BasicProperties.Timestamp.UnixTime));
    }

    [Fact]
    public async Task A_message_above_the_limit_is_refused_before_it_is_sent_and_never_handled()
    {
        await using var fleet = new Fleet(broker.Get());
        var small = new RabbitOptions { MessageLimits = new MessageLimits { MaxMessageSize = 1000 } };
        var got = new Received<Text>();
        var host = await fleet.AddAsync(host => host.On<Text>(got.Add), small);
        await host.SubscribeAsync("chat");
        var large = await fleet.AddAsync();

        Assert.Throws<MessageTooLargeException>(() => host.Publish("chat", new Text(new string('x', 2000))));
        large.Publish("chat", new Text(new string('x', 2000)));
        large.Publish("chat", new Text("fits"));

        await got.CountAsync(1);
        Assert.Equal([new Text("fits")], got.Messages);
        Assert.Equal(1, host.GetCount(DispatchStatus.TooLarge));
    }

    [Fact]
    public async Task Whatever_others_put_into_a_topic_is_counted_and_the_next_message_is_handled()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await host.SubscribeAsync("open");
        await host.SubscribeAsync("open", DeliveryKind.AtLeastOnce, "all");
        await using var bare = await fleet.AddBareAsync();
        byte[][] bodies =
        [
            [], // no message
            [0x7F, 0xFF], // reserved bits
            [0x7F, 0x02, 0x01, 0x01], // a reply, which has no business here
            [0x7F, 0x01, 0x01, 0x01], // a request, neither
            [0x7F, 0x04, 0x03], // a goodbye
            [1, 0], // a truncated payload
        ];
        foreach (var exchange in (string[])["at-most-once", "at-least-once"])
        {
            foreach (var body in bodies)
                await PutAsync(exchange, body, null);
            await PutAsync(exchange, [9, 1, 1, 0, 0, 0, 0, 0, 0, 0, 9, 9], "batch"); // one message, then a length past the end
            await PutAsync(exchange, [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], "batch"); // 4 GiB
            await PutAsync(exchange, [1, 3, 0, 0, 0, 0, 0, 0, 0], "other");
        }

        await got.CountAsync(4);
        Assert.Equal([1L, 1L, 3L, 3L], got.Messages.Select(static message => message.Number).Order());
        await Until.TrueAsync(() => host.GetStatistics().DeadLettered == bodies.Length + 2);
        Assert.Equal(2 * (bodies.Length + 2), host.GetStatistics().Malformed);
        Assert.Equal((LinkState.Connected, 0L), (host.State, host.GetStatistics().Disconnects));

        ValueTask PutAsync(string exchange, byte[] body, string? type) => bare.BasicPublishAsync(
            $"{fleet.Scope}.{exchange}",
            "open",
            mandatory: true,
            new BasicProperties { Type = type, AppId = "bare", Timestamp = new AmqpTimestamp(-5), Headers = new Dictionary<string, object?> { ["x-delivery-count"] = "many" } },
            body);
    }

    [Fact]
    public async Task A_gap_in_the_numbers_is_told_and_counted()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        var gaps = new List<(RabbitGap Gap, int HandledBefore)>();
        host.GapFound += gap => gaps.Add((gap, got.Count));
        await host.SubscribeAsync("open");
        await using var bare = await fleet.AddBareAsync();
        byte[] single = [1, 0, 0, 0, 0, 0, 0, 0, 0];
        byte[] two = [9, .. single, 9, .. single];

        foreach (var number in (long[])[7, 8, 12, 3, 4, 6])
            await PutAsync(number, single, null);
        await PutAsync(7, two, "batch");
        await PutAsync(9, single, null);
        await PutAsync(20, two, "batch");

        await got.CountAsync(11);
        Assert.Equal([new RabbitGap("bare", "open", 9, 3), new RabbitGap("bare", "open", 5, 1), new RabbitGap("bare", "open", 10, 10)], gaps.ConvertAll(static gap => gap.Gap));
        Assert.Equal([2, 5, 9], gaps.ConvertAll(static gap => gap.HandledBefore));
        Assert.Equal(14, host.GetStatistics().Missed);

        ValueTask PutAsync(long number, byte[] body, string? type) => bare.BasicPublishAsync(
            $"{fleet.Scope}.at-most-once",
            "open",
            mandatory: true,
            new BasicProperties { AppId = "bare", Timestamp = new AmqpTimestamp(number), Type = type },
            body);
    }

    private static async Task<BasicGetResult> GetAsync(IChannel channel, string queue)
    {
        BasicGetResult? got = null;
        await Until.TrueAsync(async () => (got = await channel.BasicGetAsync(queue, autoAck: true)) is not null);
        return got!;
    }
}
