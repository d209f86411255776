using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Faults;

/// <summary>Handlers that run, and hosts that end, while the connection is lost.</summary>
[Collection(DisturbedBroker.Name)]
public sealed class LostConnectionTests(BrokerFixture broker)
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public async Task Handler_that_runs_when_the_connection_is_lost_runs_once_and_its_end_settles_the_redelivery(int partitions)
    {
        await using var fleet = new Fleet(broker.Get());
        var (begun, running, most) = (new Received<Numbered>(), 0, 0);
        var released = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var host = await fleet.AddAsync(host => host.On(async (Numbered message, Origin from) =>
        {
            if (message.Number == 1)
                most = Math.Max(most, Interlocked.Increment(ref running));
            begun.Add(in message, from);
            if (message.Number != 1)
                return;
            await released.Task;
            Interlocked.Decrement(ref running);
        }));
        await host.SubscribeAsync("players", Kept, "games", new SubscriptionOptions { Partitions = partitions });
        host.Publish("players", new Numbered(1), Kept);
        await begun.CountAsync(1);
        var back = host.NextAsync(LinkState.Connected);
        await broker.Get().CloseConnectionsAsync("cut");
        await back.InTime();
        for (var number = 2; number <= 4; number++)
            host.Publish("players", new Numbered(number), Kept);

        await Until.TrueAsync(() => begun.Count > 1 || host.GetStatistics().RedeliveriesJoined == 1);
        released.SetResult();

        await begun.UntilAsync(static all => all.Any(static one => one.Message.Number == 4));
        await Until.TrueAsync(() => host.GetStatistics().RedeliveriesJoined == 1);
        Assert.Equal((1, 1), (most, begun.Messages.Count(static message => message.Number == 1)));
    }

    [Fact]
    public async Task Groups_are_declared_and_removed_while_connections_are_lost()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();

        var cutting = CutTwiceAsync();
        while (!cutting.IsCompleted)
        {
            await host.DeclareGroupAsync("work", "workers").InTime();
            Assert.Equal(0, await host.RemoveGroupAsync("work", "workers").InTime());
        }

        await cutting;
        Assert.True(host.GetStatistics().Disconnects >= 2);

        async Task CutTwiceAsync()
        {
            for (var count = 0; count < 2; count++)
            {
                var back = host.NextAsync(LinkState.Connected);
                await broker.Get().CloseConnectionsAsync("cut").InTime();
                await back.InTime();
            }
        }
    }

    [Fact]
    public async Task Host_that_is_disposed_amid_a_reconnect_publishes_what_it_accepted()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var receiver = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await receiver.SubscribeAsync("orders", Kept, "shop");
        var factory = Fleet.FactoryOf(broker.Get().Port);
        var host = await fleet.AddAsync(options: new RabbitOptions { StopTimeout = TimeSpan.FromMinutes(1) }, factory: factory);
        await fleet.CutAsync(host, factory);
        for (var number = 0; number < 100; number++)
            Assert.Equal(SendStatus.Sent, host.Publish("orders", new Numbered(number), Kept));

        var disposing = host.DisposeAsync().AsTask();
        factory.Port = broker.Get().Port;
        await disposing.InTime();

        await got.CountAsync(100);
        Assert.Equal(0, host.GetStatistics().Dropped);
    }

    [Fact]
    public async Task Canceled_attempts_to_connect_leave_no_connection()
    {
        await using var fleet = new Fleet(broker.Get());
        var canceled = 0;
        for (var attempt = 0; attempt < 100; attempt++)
        {
            using var source = new CancellationTokenSource(TimeSpan.FromMilliseconds(attempt / 2.0));
            try
            {
                await using var host = await RabbitHost.ConnectAsync(Fleet.FactoryOf(broker.Get().Port), options: new RabbitOptions { Scope = fleet.Scope, Name = "undecided" }, cancellationToken: source.Token);
            }
            catch (OperationCanceledException)
            {
                canceled++;
            }
        }

        Assert.NotEqual(0, canceled);
        await Until.TrueAsync(async () => !(await broker.Get().EvaluateAsync("rabbit_networking:connection_info_all([client_properties])")).Contains("undecided", StringComparison.Ordinal));
    }
}
