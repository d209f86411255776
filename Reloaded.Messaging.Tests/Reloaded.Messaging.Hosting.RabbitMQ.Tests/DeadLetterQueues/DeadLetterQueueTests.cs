using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.DeadLetterQueues;

/// <summary>Dead letters that an operator reads, moves and removes.</summary>
public sealed class DeadLetterQueueTests(BrokerFixture broker)
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    [Fact]
    public async Task Dead_letters_that_are_read_return_to_their_places()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await FailAsync(fleet, count: 3);

        List<Origin> first = [];
        await using (var queue = await OpenAsync(fleet))
        {
            Assert.Equal(3, (await queue.CountAsync()).DeadLetters);
            await foreach (var letter in queue.ReadAsync())
            {
                Assert.Equal(("rejected", 1, letter.Size), (letter.Reason, letter.Deaths, letter.Messages.Single().Length));
                Assert.InRange(letter.Time!.Value, DateTimeOffset.UtcNow.AddMinutes(-5), DateTimeOffset.UtcNow.AddMinutes(1));
                first.Add(letter.Origin);
            }

            Assert.Equal(0, (await queue.CountAsync()).DeadLetters); // no other program reads them now
        }

        await using var again = await OpenAsync(fleet, deadLetters: 3);
        var second = await ReadAsync(again);

        Assert.Equal([(host.Id, "orders.books", 1UL), (host.Id, "orders.books", 2UL), (host.Id, "orders.books", 3UL)], first.Select(static from => (from.Sender, from.Topic, from.Number)));
        Assert.Equal(first.Select(static from => from.Number), second.Select(static letter => letter.Origin.Number));
    }

    [Fact]
    public async Task Moved_dead_letter_is_handled_with_its_origin_and_all_its_tries()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var isFixed = false;
        var host = await fleet.AddAsync(
            host => host.On((in Numbered message, Origin from) =>
            {
                got.Add(in message, from);
                if (!isFixed)
                    throw new InvalidOperationException("Not yet.");
            }),
            new RabbitOptions { MaxTries = 2 });
        await host.SubscribeAsync("orders.*", Kept, "shop");
        host.Publish("orders.books", new Numbered(7), Kept);
        host.Publish("orders.music", new Numbered(8), Kept);
        await Until.TrueAsync(() => host.GetStatistics().DeadLettered == 2);
        await using (var shown = await OpenAsync(fleet, deadLetters: 2))
            await ReadAsync(shown); // the broker counts it as a delivery

        await using var queue = await OpenAsync(fleet, deadLetters: 2);
        isFixed = true;

        foreach (var letter in await ReadAsync(queue))
        {
            if (letter.Origin.Topic == "orders.books")
                await queue.MoveAsync(letter);
            else
                await queue.RemoveAsync(letter);
        }

        await got.CountAsync(5);
        Assert.Equal((new Numbered(7), new Origin(host.Id, "orders.books", 1, IsRepeated: true, Tries: 1)), (got.All[^1].Message, got.All[^1].From));
        await queue.DisposeAsync();
        await using var after = await OpenAsync(fleet, deadLetters: 0);
        Assert.Empty(await ReadAsync(after));
    }

    [Fact]
    public async Task Dead_letter_that_dies_again_is_not_read_again_and_counts_its_deaths()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await FailAsync(fleet, count: 2);
        await using (var queue = await OpenAsync(fleet))
        {
            var read = 0;
            await foreach (var letter in queue.ReadAsync())
            {
                read++;
                await queue.MoveAsync(letter);
                await Until.TrueAsync(() => host.GetStatistics().DeadLettered == 2 + read);
            }

            Assert.Equal(2, read);
        }

        await using var again = await OpenAsync(fleet, deadLetters: 2);
        Assert.All(await ReadAsync(again), static letter => Assert.Equal(2, letter.Deaths));
    }

    [Fact]
    public async Task Queue_of_group_that_is_full_or_gone_keeps_the_dead_letter()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await FailAsync(fleet, count: 1);
        await host.DisposeAsync();
        await using var bare = await fleet.AddBareAsync();
        await bare.QueueDeleteAsync($"{fleet.Scope}.kept.shop.orders.*", ifUnused: false, ifEmpty: false);

        await using (var queue = await OpenAsync(fleet))
        {
            var gone = await Assert.ThrowsAsync<InvalidOperationException>(async () => await queue.MoveAsync((await ReadAsync(queue)).Single()));
            Assert.Contains($"'{fleet.Scope}.kept.shop.orders.*' does not exist", gone.Message);
        }

        await bare.QueueDeclareAsync($"{fleet.Scope}.kept.shop.orders.*", durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-max-length"] = 0, ["x-overflow"] = "reject-publish" });
        await using var full = await OpenAsync(fleet, deadLetters: 1);
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(async () => await full.MoveAsync((await ReadAsync(full)).Single()));
        Assert.Contains("the queue is full", refused.Message);
        await full.DisposeAsync();
        await using var after = await OpenAsync(fleet, deadLetters: 1);
        Assert.Single(await ReadAsync(after));
    }

    [Fact]
    public async Task Batch_is_one_dead_letter_with_its_messages()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync(options: new RabbitOptions { BatchDelay = TimeSpan.FromMilliseconds(20) });
        await host.SubscribeAsync("orders.*", Kept, "shop");
        for (var number = 0; number < 10; number++)
            host.Publish("orders.books", new Numbered(number), Kept);
        await Until.TrueAsync(() => host.GetStatistics().DeadLettered > 0);

        await using var queue = await OpenAsync(fleet);
        var letters = await ReadAsync(queue);

        var writer = new MessageWriter();
        Assert.True(letters[0].Messages.Count > 1);
        Assert.Equal(Pack(0), letters[0].Messages[0].ToArray());
        Assert.Equal(Pack(1), letters[0].Messages[1].ToArray());

        byte[] Pack(int number)
        {
            using var packed = writer.Pack(new Numbered(number));
            return packed.Span.ToArray();
        }
    }

    [Fact]
    public async Task Group_without_dead_letters_is_named_and_nothing_is_declared()
    {
        await using var fleet = new Fleet(broker.Get());

        var missing = await Assert.ThrowsAsync<InvalidOperationException>(() => OpenAsync(fleet, deadLetters: null));

        Assert.Contains($"'{fleet.Scope}.dead.shop.orders.*' does not exist", missing.Message);
    }

    /// <summary>Has messages die for which there is no handler.</summary>
    private static async Task<RabbitHost> FailAsync(Fleet fleet, int count)
    {
        var host = await fleet.AddAsync();
        await host.SubscribeAsync("orders.*", Kept, "shop");
        for (var number = 0; number < count; number++)
            host.Publish("orders.books", new Numbered(number), Kept);
        await Until.TrueAsync(() => host.GetStatistics().DeadLettered == count);
        await using var queue = await OpenAsync(fleet, count);
        return host;
    }

    /// <summary>Opens the queue, when the broker has moved so many dead letters to it.</summary>
    private static async Task<DeadLetterQueue> OpenAsync(Fleet fleet, int? deadLetters = null)
    {
        var queue = await DeadLetterQueue.OpenAsync(Fleet.FactoryOf(fleet.Port), "orders.*", "shop", new RabbitOptions { Scope = fleet.Scope }).InTime();
        if (deadLetters is { } count)
            await Until.TrueAsync(async () => (await queue.CountAsync()).DeadLetters == count);
        return queue;
    }

    private static async Task<List<DeadLetter>> ReadAsync(DeadLetterQueue queue)
    {
        var letters = new List<DeadLetter>();
        await foreach (var letter in queue.ReadAsync())
            letters.Add(letter);
        return letters;
    }
}
