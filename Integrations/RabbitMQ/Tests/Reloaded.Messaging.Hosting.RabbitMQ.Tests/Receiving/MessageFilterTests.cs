using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Receiving;

/// <summary>Filters around handlers, and the limit of concurrent handlers.</summary>
public sealed class MessageFilterTests(BrokerFixture broker)
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    private static readonly RabbitOptions s_soon = new() { RetryDelay = TimeSpan.FromMilliseconds(1) };

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Filter_that_skips_the_second_message_of_an_id_applies_its_effect_once(bool isAsync)
    {
        await using var fleet = new Fleet(broker.Get());
        var (got, handled) = (new Received<Numbered>(), new ConcurrentDictionary<string, bool>());
        var host = await fleet.AddAsync(host => On(host, isAsync, got.Add));
        await host.SubscribeAsync("orders", Kept, "shop", new SubscriptionOptions
        {
            Filter = async (from, handle, _) =>
            {
                if (handled.ContainsKey(from.MessageId!))
                    return;
                await handle();
                handled[from.MessageId!] = true;
            },
            ConcurrentMessageLimit = 1,
        });

        foreach (var id in (string[])["a", "a", "b", "a"])
            host.Publish("orders", new Numbered(id[0]), new PublishOptions { MessageId = id });

        await Until.TrueAsync(() => host.GetStatistics().Filtered == 2);
        Assert.Equal([new Numbered('a'), new Numbered('b')], got.Messages);
        await AssertAcknowledgedAsync(fleet, host);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Exception_of_a_handler_leaves_its_filter_and_the_message_is_tried_again(bool isAsync)
    {
        await using var fleet = new Fleet(broker.Get());
        var (seen, got) = (new ConcurrentQueue<Exception>(), new Received<Numbered>());
        var failures = new ConcurrentQueue<Exception>();
        var host = await fleet.AddAsync(
            host => On(host, isAsync, (in Numbered message, Origin from) =>
            {
                if (from.Tries == 1)
                    throw new InvalidOperationException("on purpose");
                got.Add(in message, from);
            }),
            s_soon);
        host.HandlerFailed += failure => failures.Enqueue(failure.Exception);
        await host.SubscribeAsync("orders", Kept, "shop", new SubscriptionOptions
        {
            Filter = async (_, handle, _) =>
            {
                try
                {
                    await handle();
                }
                catch (Exception e)
                {
                    seen.Enqueue(e);
                    throw;
                }
            },
        });

        host.Publish("orders", new Numbered(1), Kept);

        await got.CountAsync(1);
        Assert.Equal("on purpose", Assert.Single(seen).Message);
        Assert.Equal("on purpose", Assert.Single(failures).Message);
    }

    [Fact]
    public async Task Message_without_a_handler_leaves_its_filter_by_an_exception_and_becomes_a_dead_letter()
    {
        await using var fleet = new Fleet(broker.Get());
        var committed = 0;
        var host = await fleet.AddAsync();
        await host.SubscribeAsync("orders", Kept, "shop", new SubscriptionOptions
        {
            Filter = async (_, handle, _) =>
            {
                await handle();
                committed++;
            },
        });

        host.Publish("orders", new Unhandled(1), Kept);

        await Until.TrueAsync(() => host.GetStatistics().DeadLettered == 1);
        Assert.Equal((0, 1L), (committed, host.GetStatistics().HandlerFailures));
    }

    [Fact]
    public async Task Filter_that_calls_the_handler_twice_fails()
    {
        await using var fleet = new Fleet(broker.Get());
        var (got, failed) = (new Received<Numbered>(), new TaskCompletionSource<RabbitFailure>(TaskCreationOptions.RunContinuationsAsynchronously));
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add), new RabbitOptions { MaxTries = 1 });
        host.HandlerFailed += failed.SetResult;
        await host.SubscribeAsync("orders", Kept, "shop", new SubscriptionOptions
        {
            Filter = static async (_, handle, _) =>
            {
                await handle();
                await handle();
            },
        });

        host.Publish("orders", new Numbered(1), Kept);

        Assert.Contains("at most once", (await failed.Task.InTime()).Exception.Message, StringComparison.Ordinal);
        Assert.Single(got.Messages);
    }

    [Fact]
    public async Task Filter_receives_each_message_of_a_batch_with_its_number()
    {
        const int Count = 50;
        await using var fleet = new Fleet(broker.Get());
        var (got, numbers) = (new Received<Numbered>(), new ConcurrentBag<ulong>());
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add), new RabbitOptions { BatchDelay = TimeSpan.FromMilliseconds(50) });
        await host.SubscribeAsync("orders", Kept, "shop", new SubscriptionOptions
        {
            Filter = (from, handle, _) =>
            {
                numbers.Add(from.Number);
                return handle();
            },
        });

        for (var number = 1; number <= Count; number++)
            host.Publish("orders", new Numbered(number), Kept);

        await got.CountAsync(Count);
        Assert.Equal(Enumerable.Range(1, Count).Select(static number => (ulong)number), numbers.Order());
        Assert.All(got.All, static one => Assert.Equal((ulong)one.Message.Number, one.From.Number));
    }

    [Fact]
    public async Task ConcurrentMessageLimit_holds_messages_above_it_until_a_handler_ends()
    {
        await using var fleet = new Fleet(broker.Get());
        var (running, most) = (0, 0);
        var (started, release) = (new Received<Numbered>(), new SemaphoreSlim(0));
        var host = await fleet.AddAsync(host => host.On(async (Numbered message, Origin from) =>
        {
            var now = Interlocked.Increment(ref running);
            InterlockedMax(ref most, now);
            started.Add(in message, from);
            await release.WaitAsync();
            Interlocked.Decrement(ref running);
        }));
        await host.SubscribeAsync("orders", Kept, "shop", new SubscriptionOptions { Prefetch = 20, ConcurrentMessageLimit = 3 });
        for (var number = 1; number <= 20; number++)
            host.Publish("orders", new Numbered(number), Kept);
        await started.CountAsync(3);
        await using var bare = await fleet.AddBareAsync();
        await Until.TrueAsync(async () => await bare.MessageCountAsync($"{fleet.Scope}.kept.shop.orders") == 0); // the host has received all messages
        Assert.Equal(3, started.Messages.Count);

        release.Release(20);

        await started.CountAsync(20);
        await AssertAcknowledgedAsync(fleet, host);
        Assert.Equal(3, most);
    }

    [Fact]
    public async Task Filter_of_an_at_most_once_subscription_throws()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();

        var refused = await Assert.ThrowsAsync<ArgumentException>(() => host.SubscribeAsync("orders", options: new SubscriptionOptions { Filter = static (_, handle, _) => handle() }));

        Assert.Contains("at most once", refused.Message, StringComparison.Ordinal);
    }

    private static void On(RabbitHost host, bool isAsync, Hosting.EventMessageHandler<Numbered, Origin> handler)
    {
        if (!isAsync)
        {
            host.On(handler);
            return;
        }

        host.On(async (Numbered message, Origin from) =>
        {
            await Task.Yield();
            handler(in message, from);
        });
    }

    private static void InterlockedMax(ref int most, int value)
    {
        for (var before = Volatile.Read(ref most); before < value;)
        {
            var seen = Interlocked.CompareExchange(ref most, value, before);
            if (seen == before)
                return;
            before = seen;
        }
    }

    /// <summary>Ends a host, and checks that no message returns to the queue.</summary>
    private static async Task AssertAcknowledgedAsync(Fleet fleet, RabbitHost host)
    {
        await host.DisposeAsync();
        await using var bare = await fleet.AddBareAsync();
        Assert.Equal(0U, await bare.MessageCountAsync($"{fleet.Scope}.kept.shop.orders"));
    }
}
