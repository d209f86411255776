using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.DeadLetterQueues;

/// <summary>Dead letters that an operator reads, moves and removes.</summary>
public sealed class DeadLetterQueueTests(BrokerFixture broker)
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    private static readonly SubscriptionOptions s_partitions = new() { Partitions = 4 };

    [Fact]
    public async Task Dead_letters_that_are_read_return_to_their_places()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await FailAsync(fleet, count: 3);

        List<Origin> first = [];
        await using (var queue = await OpenAsync(fleet, deadLetters: 3))
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
        await using (var queue = await OpenAsync(fleet, deadLetters: 2))
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

        await using (var queue = await OpenAsync(fleet, deadLetters: 1))
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
    public async Task Dead_letters_of_partitions_return_to_their_partitions()
    {
        await using var fleet = new Fleet(broker.Get());
        var keys = Enumerable.Range(0, 8).Select(static number => $"match {number}").ToArray();
        var host = await fleet.AddAsync();
        await using (await host.SubscribeAsync("orders.*", Kept, "shop", s_partitions))
        {
            foreach (var key in keys)
                host.Publish("orders.books", new Numbered(7), key);
            await Until.TrueAsync(() => host.GetStatistics().DeadLettered == keys.Length);
        }

        await using var queue = await OpenAsync(fleet, keys.Length);
        foreach (var letter in await ReadAsync(queue))
            await queue.MoveAsync(letter);

        Assert.Equal(new DeadLetterCounts(0, keys.Length, 0), await queue.CountAsync());
        await using var bare = await fleet.AddBareAsync();
        for (var partition = 0; partition < s_partitions.Partitions; partition++)
        {
            var expected = keys.Count(key => (PartitionSlot.Of(key) - 1) % s_partitions.Partitions == partition);
            Assert.Equal((uint)expected, (await bare.QueueDeclarePassiveAsync($"{fleet.Scope}.partition.shop.{partition}.orders.*")).MessageCount);
        }

        var got = new Received<Numbered>();
        var other = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await other.SubscribeAsync("orders.*", Kept, "shop", s_partitions);
        await got.CountAsync(keys.Length);
        Assert.All(got.All, one => Assert.Equal((host.Id, "orders.books", true, 1), (one.From.Sender, one.From.Topic, one.From.IsRepeated, one.From.Tries)));
    }

    [Fact]
    public async Task Record_of_another_queue_does_not_move_a_dead_letter_there()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();
        await (await host.SubscribeAsync("orders.*", Kept, "shop")).DisposeAsync();
        await using var bare = await fleet.AddBareAsync();
        var forged = new Dictionary<string, object?> { ["queue"] = $"{fleet.Scope}.dead.shop.orders.*", ["reason"] = "rejected" };
        var properties = new BasicProperties { Headers = new Dictionary<string, object?> { ["x-death"] = new List<object?> { forged } } };
        await bare.BasicPublishAsync($"{fleet.Scope}.dead", $"{fleet.Scope}.kept.shop.orders.*", mandatory: true, properties, new byte[1]);

        await using var queue = await OpenAsync(fleet, deadLetters: 1);
        await queue.MoveAsync((await ReadAsync(queue)).Single());

        Assert.Equal(new DeadLetterCounts(0, 1, 0), await queue.CountAsync());
    }

    [Fact]
    public async Task Dead_letters_can_be_returned_any_number_of_times()
    {
        await using var fleet = new Fleet(broker.Get());
        await FailAsync(fleet, count: 0);
        await using var bare = await fleet.AddBareAsync();

        var refused = await Assert.ThrowsAsync<OperationInterruptedException>(() => bare.QueueDeclareAsync(
            $"{fleet.Scope}.dead.shop.orders.*", durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-queue-type"] = "quorum", ["x-max-length"] = 100_000, ["x-overflow"] = "drop-head", ["x-delivery-limit"] = 20 }));

        Assert.Contains("'x-delivery-limit'", refused.Message);
        Assert.Contains("2147483647", refused.Message);
    }

    [Fact]
    public async Task Queue_of_an_older_version_is_named_and_its_dead_letters_can_be_moved()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await (await host.SubscribeAsync("orders.*", Kept, "shop")).DisposeAsync();
        var bare = await fleet.AddBareAsync();
        var dead = $"{fleet.Scope}.dead.shop.orders.*";
        await bare.QueueDeleteAsync(dead, ifUnused: false, ifEmpty: false);
        await bare.QueueDeclareAsync(dead, durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-queue-type"] = "quorum", ["x-max-length"] = 100_000, ["x-overflow"] = "drop-head" });
        await bare.BasicPublishAsync("", dead, mandatory: true, new byte[] { 1, 7, 0, 0, 0, 0, 0, 0, 0 });

        var refused = await Assert.ThrowsAsync<OperationInterruptedException>(() => host.SubscribeAsync("orders.*", Kept, "shop"));
        await using (var queue = await OpenAsync(fleet, deadLetters: 1))
            await queue.MoveAsync((await ReadAsync(queue)).Single());
        await bare.QueueDeleteAsync(dead, ifUnused: false, ifEmpty: false);
        await host.SubscribeAsync("orders.*", Kept, "shop");

        await got.CountAsync(1);
        Assert.Equal(new Numbered(7), got.Messages.Single());
        Assert.StartsWith($"The queue '{dead}' exists with other arguments.", refused.Message, StringComparison.Ordinal);
        Assert.Contains($"rabbitmqctl delete_queue '{dead}'", refused.Message, StringComparison.Ordinal);
        Assert.Contains("inequivalent arg 'x-delivery-limit'", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Batch_is_one_dead_letter_with_its_messages()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync(options: new RabbitOptions { BatchDelay = TimeSpan.FromMilliseconds(20) });
        await host.SubscribeAsync("orders.*", Kept, "shop");
        for (var number = 0; number < 10; number++)
            host.Publish("orders.books", new Numbered(number), Kept);

        await using var queue = await OpenAsync(fleet, deadLetters: null);
        var letters = new List<DeadLetter>();
        await Until.TrueAsync(async () =>
        {
            letters.AddRange(await ReadAsync(queue));
            return letters.Sum(static letter => letter.Messages.Count) == 10; // a pause of this thread may divide them into several batches
        });

        var writer = new MessageWriter();
        Assert.Contains(letters, static letter => letter.Messages.Count > 1);
        Assert.Equal(Enumerable.Range(0, 10).Select(Pack), letters.SelectMany(static letter => letter.Messages.Select(static message => message.ToArray())));

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

    /// <summary>Opens the queue after the broker has moved a number of dead letters to it.</summary>
    private static async Task<DeadLetterQueue> OpenAsync(Fleet fleet, int? deadLetters)
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
