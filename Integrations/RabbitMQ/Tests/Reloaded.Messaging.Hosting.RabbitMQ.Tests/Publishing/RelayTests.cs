using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Publishing;

/// <summary>Handlers that publish: their message counts as handled when the broker has what they published.</summary>
public sealed class RelayTests(BrokerFixture broker)
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Delivery_whose_results_are_not_confirmed_is_handed_out_again_when_its_host_ends(bool isAsync)
    {
        const int Jobs = 20;
        await using var fleet = new Fleet(broker.Get());
        await fleet.FillAsync("results", "sink");
        RabbitHost relay = null!;
        relay = await fleet.AddAsync(host =>
        {
            if (isAsync)
            {
                host.On(async (Numbered job, Origin _) =>
                {
                    await Task.Yield();
                    await relay.PublishAsync("results", job, Kept);
                });
            }
            else
            {
                host.On((in Numbered job, Origin _) => Assert.Equal(SendStatus.Sent, relay.Publish("results", job, Kept)));
            }
        }, new RabbitOptions { StopTimeout = Fleet.ShortStop });
        await relay.SubscribeAsync("jobs", Kept, "relays");
        var publisher = await fleet.AddAsync();
        for (var number = 0; number < Jobs; number++)
            publisher.Publish("jobs", new Numbered(number), Kept);
        await publisher.FlushAsync().InTime();
        await Until.TrueAsync(() => relay.GetStatistics().Rejected >= 3);

        await relay.DisposeAsync().AsTask().InTime();

        await using var bare = await fleet.AddBareAsync();
        var all = new HashSet<int>();
        await Until.TrueAsync(async () =>
        {
            foreach (var queue in (string[])["kept.sink.results", "kept.relays.jobs"])
            {
                while (await bare.BasicGetAsync($"{fleet.Scope}.{queue}", autoAck: true) is { } message)
                {
                    if (message.Body.Span[0] == 1) // not what fills the queue
                        all.Add(message.Body.Span[1]);
                }
            }

            return all.Count == Jobs;
        });
        Assert.Equal(Enumerable.Range(0, Jobs), all.Order());
    }

    [Fact]
    public async Task Delivery_waits_for_a_result_that_its_synchronous_handler_published_after_a_wait_for_room()
    {
        await using var fleet = new Fleet(broker.Get());
        await fleet.FillAsync("results", "sink");
        var (waits, returned) = (new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously), new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        RabbitHost relay = null!;
        relay = await fleet.AddAsync(
            host => host.On((in Numbered job, Origin _) =>
            {
                while (relay.Publish("results", new Unhandled(0), Kept) == SendStatus.Sent)
                    continue; // the broker may have taken some since the start
                var publishing = relay.PublishAsync("results", job, Kept).AsTask();
                waits.TrySetResult(!publishing.IsCompleted);
                publishing.GetAwaiter().GetResult();
                returned.TrySetResult();
            }),
            new RabbitOptions { StopTimeout = Fleet.ShortStop, Limits = new HostLimits { MaxPendingBytes = 10_000 } });
        await Until.TrueAsync(() =>
        {
            while (relay.Publish("results", new Unhandled(0), Kept) == SendStatus.Sent)
                continue;
            return relay.GetStatistics().Rejected > 0;
        });
        await relay.SubscribeAsync("jobs", Kept, "relays");
        var publisher = await fleet.AddAsync();
        publisher.Publish("jobs", new Numbered(7), Kept);
        await publisher.FlushAsync().InTime();
        Assert.True(await waits.Task.InTime());

        await using var bare = await fleet.AddBareAsync();
        var hasResult = false;
        await Until.TrueAsync(async () =>
        {
            await TakeResultsAsync(); // until there is room in the host; the result is behind the messages for which there is none in the queue
            return returned.Task.IsCompleted;
        });
        await relay.DisposeAsync().AsTask().InTime();

        await Until.TrueAsync(async () =>
        {
            await TakeResultsAsync();
            return hasResult || await bare.BasicGetAsync($"{fleet.Scope}.kept.relays.jobs", autoAck: true) is not null;
        });

        async Task TakeResultsAsync()
        {
            while (await bare.BasicGetAsync($"{fleet.Scope}.kept.sink.results", autoAck: true) is { } message)
                hasResult |= message.Body.Span[0] == 1;
        }
    }

    [Fact]
    public async Task Relays_that_are_stopped_one_after_the_other_lose_no_result()
    {
        const int Jobs = 3000;
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var sink = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await sink.SubscribeAsync("results", Kept, "sink");
        var options = new RabbitOptions { MaxTries = 1000, Prefetch = 50 };
        var starter = await fleet.AddAsync(options: options);
        await (await starter.SubscribeAsync("jobs", Kept, "relays")).DisposeAsync();
        for (var number = 0; number < Jobs; number++)
            Assert.Equal(SendStatus.Sent, await sink.PublishAsync("jobs", new Numbered(number), Kept));
        await sink.FlushAsync().InTime();

        for (var stop = 1; stop <= 5; stop++)
        {
            RabbitHost relay = null!;
            var connected = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            relay = await fleet.AddAsync(
                host => host.On(async (Numbered job, Origin _) =>
                {
                    await connected.Task;
                    await relay.PublishAsync("results", job, Kept);
                }),
                options);
            connected.SetResult();
            await relay.SubscribeAsync("jobs", Kept, "relays");
            if (stop == 5)
                break;
            var enough = stop * (Jobs / 10);
            await got.CountAsync(enough);
            await relay.DisposeAsync().AsTask().InTime();
        }

        await got.UntilAsync(static all => all.Select(static one => one.Message.Number).Distinct().Count() == Jobs);
    }
}
