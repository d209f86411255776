using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Faults;

/// <summary>Consumers that end with messages whose handlers never began. The broker sees an ended connection as it sees an ended process.</summary>
[Collection(DisturbedBroker.Name)]
public sealed class CrashTests(BrokerFixture broker)
{
    [Fact]
    public async Task Consumer_that_dies_again_and_again_loses_only_the_message_that_it_handled_to_the_dead_letters()
    {
        const int Count = 100;
        await using var fleet = new Fleet(broker.Get());
        using var release = new ManualResetEventSlim();
        var (poison, others) = (new Received<Numbered>(), new Received<Numbered>());
        var factory = Fleet.FactoryOf(broker.Get().Port);
        var worker = await JoinAsync();
        for (var number = 0; number < Count; number++)
            worker.Publish("work", new Numbered(number), DeliveryKind.AtLeastOnce);
        await worker.FlushAsync().InTime();

        try
        {
            for (var death = 1; death <= 6; death++)
            {
                await poison.CountAsync(death);
                await fleet.CutAsync(worker, factory); // it stays away, as a process that has ended
                factory = Fleet.FactoryOf(broker.Get().Port);
                worker = await JoinAsync();
            }

            await others.UntilAsync(static all => all.Select(static one => one.Message.Number).Distinct().Count() == Count - 1);
        }
        finally
        {
            release.Set();
        }

        await using var bare = await fleet.AddBareAsync();
        BasicGetResult? dead = null;
        await Until.TrueAsync(async () => (dead = await bare.BasicGetAsync($"{fleet.Scope}.dead.workers.work", autoAck: true)) is not null);
        Assert.Equal([1, 0, 0, 0, 0, 0, 0, 0, 0], dead!.Body.ToArray());
        Assert.Null(await bare.BasicGetAsync($"{fleet.Scope}.dead.workers.work", autoAck: true));
        Assert.All(others.All, static one => Assert.InRange(one.From.Tries, 1, 3));

        async Task<RabbitHost> JoinAsync()
        {
            var joined = await fleet.AddAsync(
                host => host.On((in Numbered message, Origin from) =>
                {
                    (message.Number == 0 ? poison : others).Add(in message, from);
                    if (message.Number == 0)
                        release.Wait(); // until after its connection
                }),
                factory: factory);
            await joined.SubscribeAsync("work", DeliveryKind.AtLeastOnce, "workers");
            return joined;
        }
    }

    [Fact]
    public async Task Delayed_messages_of_a_consumer_that_dies_are_not_lost()
    {
        const int Count = 300;
        await using var fleet = new Fleet(broker.Get());
        var (got, unmarked) = (new Received<Numbered>(), 0);
        var worker = await fleet.AddAsync(
            host => host.On((in Numbered message, Origin from) =>
            {
                if (from.Tries < 4)
                    throw new InvalidOperationException("Not yet.");
                unmarked += from.IsRepeated ? 0 : 1;
                got.Add(in message, from);
            }),
            new RabbitOptions { MaxTries = 1000, RetryDelay = TimeSpan.FromMilliseconds(1) });
        await worker.SubscribeAsync("work", DeliveryKind.AtLeastOnce, "workers");
        var publisher = await fleet.AddAsync();
        for (var number = 0; number < Count; number++)
            publisher.Publish("work", new Numbered(number), DeliveryKind.AtLeastOnce);
        await Until.TrueAsync(() => worker.GetStatistics().Retried > 0);

        var back = worker.NextAsync(LinkState.Connected);
        await broker.Get().CloseConnectionsAsync("crash");
        await back.InTime();

        await got.UntilAsync(static all => all.Select(static one => one.Message.Number).Distinct().Count() == Count);
        Assert.Equal(0, unmarked);
        Assert.Equal(0, worker.GetStatistics().DeadLettered);
    }

    [Fact]
    public async Task Last_try_that_throws_is_counted_as_a_dead_letter()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync(static host => host.On(static (in Numbered _, Origin _) => throw new InvalidOperationException("Never.")), new RabbitOptions { MaxTries = 3, RetryDelay = TimeSpan.Zero });
        await host.SubscribeAsync("work", DeliveryKind.AtLeastOnce, "workers");

        host.Publish("work", new Numbered(1), DeliveryKind.AtLeastOnce);

        await Until.TrueAsync(() => host.GetStatistics().DeadLettered == 1);
        Assert.Equal((3, 2), (host.GetStatistics().HandlerFailures, host.GetStatistics().Retried));
    }
}
