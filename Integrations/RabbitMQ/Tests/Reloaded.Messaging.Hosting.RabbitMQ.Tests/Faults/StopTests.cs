using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Faults;

/// <summary>Hosts and subscriptions that end while handlers run.</summary>
public sealed class StopTests(BrokerFixture broker)
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Dispose_while_handlers_run_waits_for_them_and_nothing_comes_again(bool isSubscription)
    {
        const int Count = 20;
        await using var fleet = new Fleet(broker.Get());
        var (started, release) = (new Received<Numbered>(), new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        var first = await fleet.AddAsync(host => host.On(async (Numbered message, Origin from) =>
        {
            started.Add(in message, from);
            await release.Task;
        }));
        var subscription = await first.SubscribeAsync("orders", Kept, "shop");
        var got = new Received<Numbered>();
        var second = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await using var bare = await fleet.AddBareAsync();
        for (var number = 0; number < Count; number++)
            second.Publish("orders", new Numbered(number), Kept);
        await started.CountAsync(Count);

        var disposing = isSubscription ? subscription.DisposeAsync().AsTask() : first.DisposeAsync().AsTask();
        var published = await PublishUntilNoneTakesAsync(fleet, bare, second, Count);
        release.SetResult();
        await disposing.InTime();
        await second.SubscribeAsync("orders", Kept, "shop");

        await got.UntilAsync(all => all.Any(one => one.Message.Number == published - 1));
        Assert.Empty(got.Messages.Intersect(started.Messages));
        Assert.Equal(published, got.Messages.Union(started.Messages).Count());
        Assert.Equal(0, first.GetStatistics().Unacknowledged);
    }

    [Fact]
    public async Task Dispose_handles_what_was_taken_and_not_begun()
    {
        const int Count = 20;
        await using var fleet = new Fleet(broker.Get());
        using var release = new ManualResetEventSlim();
        var handled = new Received<Numbered>();
        var first = await fleet.AddAsync(host => host.On((in Numbered message, Origin from) =>
        {
            handled.Add(in message, from);
            if (message.Number == 1)
                release.WaitInTime();
        }));
        await first.SubscribeAsync("orders", Kept, "shop");
        var got = new Received<Numbered>();
        var second = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await using var bare = await fleet.AddBareAsync();
        second.Publish("orders", new Numbered(0), Kept);
        await handled.CountAsync(1);
        for (var number = 1; number < Count; number++)
            second.Publish("orders", new Numbered(number), Kept);
        await second.FlushAsync().InTime();
        await Until.TrueAsync(async () => (await bare.QueueDeclarePassiveAsync($"{fleet.Scope}.kept.shop.orders")).MessageCount == 0); // all are taken
        await handled.CountAsync(2);

        var disposing = first.DisposeAsync().AsTask();
        var published = await PublishUntilNoneTakesAsync(fleet, bare, second, Count);
        release.Set();
        await disposing.InTime();
        await second.SubscribeAsync("orders", Kept, "shop");

        await got.UntilAsync(all => all.Any(one => one.Message.Number == published - 1));
        Assert.Equal(Enumerable.Range(0, published).Select(static number => new Numbered(number)), handled.Messages.Concat(got.Messages));
    }

    [Fact]
    public async Task Dispose_while_a_synchronous_handler_blocks_leaves_no_connection_and_no_message_behind()
    {
        const int Count = 20;
        await using var fleet = new Fleet(broker.Get());
        using var release = new ManualResetEventSlim();
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var first = await fleet.AddAsync(
            host => host.On((in Numbered _, Origin _) =>
            {
                started.TrySetResult();
                release.Wait();
            }),
            new RabbitOptions
            {
                StopTimeout = TimeSpan.FromMilliseconds(100),
            });
        await first.SubscribeAsync("orders", Kept, "shop");
        var got = new Received<Numbered>();
        var second = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        for (var number = 0; number < Count; number++)
            second.Publish("orders", new Numbered(number), Kept);
        await started.Task.InTime();

        await first.DisposeAsync().AsTask().InTime();

        try
        {
            await Until.TrueAsync(async () => !(await broker.Get().EvaluateAsync("rabbit_networking:connection_info_all([client_properties])")).Contains(first.Id, StringComparison.Ordinal));
            await second.SubscribeAsync("orders", Kept, "shop");
            await got.CountAsync(Count);
        }
        finally
        {
            release.Set();
        }
    }

    [Theory]
    [InlineData(null)]
    [InlineData("shop")]
    public async Task Dispose_counts_the_at_most_once_messages_and_requests_whose_handlers_have_not_ended(string? group)
    {
        const int Count = 5;
        await using var fleet = new Fleet(broker.Get());
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var started = new SemaphoreSlim(0);
        var host = await fleet.AddAsync(
            host =>
            {
                host.On(async (Numbered message, Origin _) =>
                {
                    started.Release();
                    await (message.Number == 0 ? Task.CompletedTask : release.Task);
                });
                host.OnRequest(async (Question question, Origin _, CancellationToken _) =>
                {
                    started.Release();
                    await release.Task;
                    return new Reply(question.Number, 0);
                });
            },
            new RabbitOptions { StopTimeout = Fleet.ShortStop });
        await host.SubscribeAsync("orders", DeliveryKind.AtMostOnce, group);
        var other = await fleet.AddAsync();
        for (var number = 0; number < Count; number++)
            other.Publish("orders", new Numbered(number));
        var request = other.TryRequestAsync<Question, Reply>(host.Id, new Question(1)).AsTask();
        for (var count = 0; count < Count + 1; count++)
            Assert.True(await started.WaitAsync(Deadline.Length));
        Assert.Equal(0, host.GetStatistics().Abandoned);

        await host.DisposeAsync().AsTask().InTime();

        Assert.Equal(Count - 1 + 1, host.GetStatistics().Abandoned); // the first message was handled, and the request was not
        release.SetResult();
        await request.InTime();
        Assert.Equal(Count, host.GetStatistics().Abandoned);
    }

    [Fact]
    public async Task Disposed_subscription_handles_later_what_it_has_received_at_most_once()
    {
        const int Count = 5;
        await using var fleet = new Fleet(broker.Get());
        using var release = new ManualResetEventSlim();
        var handled = new Received<Numbered>();
        var host = await fleet.AddAsync(
            host => host.On((in Numbered message, Origin from) =>
            {
                handled.Add(in message, from);
                release.WaitInTime();
            }),
            new RabbitOptions { StopTimeout = Fleet.ShortStop });
        var subscription = await host.SubscribeAsync("orders", DeliveryKind.AtMostOnce, "shop");
        var other = await fleet.AddAsync();
        await using var bare = await fleet.AddBareAsync();
        for (var number = 0; number < Count; number++)
            other.Publish("orders", new Numbered(number));
        await handled.CountAsync(1);
        await Until.TrueAsync(async () => (await bare.QueueDeclarePassiveAsync($"{fleet.Scope}.group.shop.orders")).MessageCount == 0); // all are taken

        await subscription.DisposeAsync().AsTask().InTime();
        release.Set();

        await handled.CountAsync(Count);
        Assert.Equal(0, host.GetStatistics().Abandoned);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Dispose_ends_although_a_callback_of_the_token_of_a_handler_throws_or_blocks(bool throws)
    {
        await using var fleet = new Fleet(broker.Get());
        using var release = new ManualResetEventSlim();
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var failed = new TaskCompletionSource<Exception>(TaskCreationOptions.RunContinuationsAsynchronously);
        var host = await fleet.AddAsync(
            host => host.On(async (Numbered _, Origin _, CancellationToken token) =>
            {
                await using var registration = token.Register(() =>
                {
                    if (throws)
                        throw new InvalidOperationException("broken");
                    release.Wait();
                });
                started.TrySetResult();
                await Task.Delay(Timeout.Infinite, CancellationToken.None);
            }),
            new RabbitOptions { StopTimeout = Fleet.ShortStop });
        host.HandlerFailed += failure => failed.TrySetResult(failure.Exception);
        await host.SubscribeAsync("orders", Kept, "shop");
        host.Publish("orders", new Numbered(1), Kept);
        await started.Task.InTime();

        try
        {
            await host.DisposeAsync().AsTask().InTime();

            await Until.TrueAsync(async () => !(await broker.Get().EvaluateAsync("rabbit_networking:connection_info_all([client_properties])")).Contains(host.Id, StringComparison.Ordinal));
            if (throws)
                Assert.Contains("broken", (await failed.Task.InTime()).ToString(), StringComparison.Ordinal);
        }
        finally
        {
            release.Set();
        }
    }

    /// <summary>Publishes until a message stays in the queue: the subscription takes no more.</summary>
    private static async Task<int> PublishUntilNoneTakesAsync(Fleet fleet, IChannel bare, RabbitHost publisher, int from)
    {
        await Until.TrueAsync(async () =>
        {
            publisher.Publish("orders", new Numbered(from++), Kept);
            await publisher.FlushAsync().InTime();
            return (await bare.QueueDeclarePassiveAsync($"{fleet.Scope}.kept.shop.orders")).MessageCount > 0;
        });
        return from;
    }
}
