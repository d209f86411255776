using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Faults;

/// <summary>Handlers that run longer than the broker allows.</summary>
[Collection(DisturbedBroker.Name)]
public sealed class LongHandlerTests(BrokerFixture broker, ShortTimeout limit) : IClassFixture<ShortTimeout>
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Handler_beyond_timeout_of_broker_runs_once_and_its_end_settles_redelivery(bool isAsync)
    {
        await limit.SetAsync();
        await using var fleet = new Fleet(broker.Get());
        var (longOnes, others) = (new Received<Numbered>(), new Received<Numbered>());
        using var gate = new ManualResetEventSlim();
        var released = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var host = await fleet.AddAsync(
            host =>
            {
                if (isAsync)
                {
                    host.On(async (Numbered message, Origin from) =>
                    {
                        (message.Number == 1 ? longOnes : others).Add(in message, from);
                        if (message.Number == 1)
                            await released.Task;
                    });
                }
                else
                {
                    host.On((in Numbered message, Origin from) =>
                    {
                        (message.Number == 1 ? longOnes : others).Add(in message, from);
                        if (message.Number == 1)
                            gate.Wait();
                    });
                }
            },
            new RabbitOptions { MaxTries = 1000, RetryDelay = TimeSpan.Zero });
        var reasons = new ConcurrentQueue<string>();
        host.LinkChanged += (_, reason) => reasons.Enqueue(reason);
        await host.SubscribeAsync("work", Kept, "workers");

        for (var number = 1; number <= 5; number++)
            host.Publish("work", new Numbered(number), Kept);
        await Until.TrueAsync(() => host.GetStatistics().RedeliveriesJoined >= 1);
        await others.CountAsync(4);
        gate.Set();
        released.SetResult();

        // The messages that are not acknowledged count too.
        await Until.TrueAsync(async () => await broker.Get().GetQueueAsync($"{fleet.Scope}.kept.workers.work", "messages") == "[{messages,0}]");
        Assert.Single(longOnes.All);
        Assert.Equal([2L, 3L, 4L, 5L], others.Messages.Select(static message => message.Number).Distinct().Order());
        var counts = host.GetStatistics();
        Assert.Empty(reasons);
        Assert.Equal((0, 0, 0), (counts.Disconnects, counts.Retried, counts.DeadLettered));
        Assert.True(counts.FailedSubscriptions >= 1);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Handler_at_most_once_beyond_timeout_of_broker_stops_only_its_subscription(bool isGroup)
    {
        await limit.SetAsync();
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        using var gate = new ManualResetEventSlim();
        var host = await fleet.AddAsync(host =>
        {
            host.On((in Numbered message, Origin from) =>
            {
                got.Add(in message, from);
                if (message.Number == 1)
                    gate.WaitInTime();
            });
            host.OnRequest(static (Question question) => new Reply(question.Number, 0));
        });
        await host.SubscribeAsync("moves", group: isGroup ? "players" : null);
        host.Publish("moves", new Numbered(1));
        await got.CountAsync(1);

        // The broker closes the channel of the subscription. The replies arrive over the same connection.
        await Until.TrueAsync(() => host.GetStatistics().FailedSubscriptions > 0);
        Assert.Equal(7, (await host.RequestAsync<Question, Reply>(host.Id, new Question(7)).AsTask().InTime()).Number);
        gate.Set();

        await Until.TrueAsync(() =>
        {
            host.Publish("moves", new Numbered(2));
            return got.Count > 1;
        });
        Assert.Equal(0, host.GetStatistics().Disconnects);
        Assert.Single(got.Messages, static message => message.Number == 1);
    }

    [Fact]
    public async Task Handler_that_throws_after_timeout_of_broker_returns_redelivery()
    {
        await limit.SetAsync();
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var released = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var host = await fleet.AddAsync(
            host => host.On(async (Numbered message, Origin from) =>
            {
                got.Add(in message, from);
                if (got.Count > 1)
                    return;
                await released.Task;
                throw new InvalidOperationException("Refused by the test.");
            }),
            new RabbitOptions { MaxTries = 1000, RetryDelay = TimeSpan.Zero });
        await host.SubscribeAsync("work", Kept, "workers");

        host.Publish("work", new Numbered(1), Kept);
        await Until.TrueAsync(() => host.GetStatistics().RedeliveriesJoined >= 1);
        released.SetResult();

        await got.CountAsync(2);
        Assert.True(got.All[1].From is { IsRepeated: true, Tries: > 2 }, $"{got.All[1].From}");
        Assert.Equal(1, host.GetStatistics().HandlerFailures);
    }
}
