using System;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Faults;

/// <summary>Connections that end while the broker stays.</summary>
[Collection(DisturbedBroker.Name)]
public sealed class LinkTests(BrokerFixture broker)
{
    [Fact]
    public async Task A_lost_connection_ends_requests_at_once_and_its_subscriptions_come_back()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var host = await fleet.AddAsync(
            host =>
            {
                host.On<Numbered>(got.Add);
                host.OnRequest(async (Question question, Origin _, CancellationToken canceled) =>
                {
                    asked.TrySetResult();
                    await Task.Delay(question.Number == 0 ? Timeout.Infinite : 0, canceled);
                    return new Reply(question.Number, 0);
                });
            },
            new RabbitOptions { RequestTimeout = TimeSpan.FromMinutes(10), StopTimeout = TimeSpan.FromMilliseconds(100) });
        await host.SubscribeAsync("passing");
        await host.SubscribeAsync("kept", DeliveryKind.AtLeastOnce, "all");
        await host.AnswerAsync("servers");
        var unanswered = host.TryRequestAsync<Question, Reply>("servers", new Question(0)).AsTask();
        await asked.Task.InTime();
        var (lost, back) = (host.NextAsync(LinkState.Disconnected), host.NextAsync(LinkState.Connected));

        await broker.Get().CloseConnectionsAsync("maintenance");

        Assert.Contains("maintenance", await lost.InTime(), StringComparison.Ordinal);
        Assert.Equal(RequestStatus.Disconnected, (await unanswered.InTime()).Status);
        await back.InTime();
        Assert.Equal(5, (await host.RequestAsync<Question, Reply>("servers", new Question(5)).AsTask().InTime()).Number);
        Assert.Equal(6, (await host.RequestAsync<Question, Reply>(host.Id, new Question(6)).AsTask().InTime()).Number);
        host.Publish("passing", new Numbered(1));
        host.Publish("kept", new Numbered(2), DeliveryKind.AtLeastOnce);
        await got.CountAsync(2);
        Assert.Equal((1L, 0L), (host.GetStatistics().Disconnects, host.GetStatistics().Missed));
    }

    [Fact]
    public async Task Message_of_the_next_connection_waits_for_the_running_handler_of_the_lost_one()
    {
        await using var fleet = new Fleet(broker.Get());
        var (moves, chats) = (new Received<Numbered>(), new Received<Question>());
        using var gate = new ManualResetEventSlim();
        var host = await fleet.AddAsync(host =>
        {
            host.On<Question>(chats.Add);
            host.On((in Numbered message, Origin from) =>
            {
                moves.Add(in message, from);
                if (message.Number == 1)
                    gate.WaitInTime();
            });
        });
        await host.SubscribeAsync("moves");
        await host.SubscribeAsync("chats");
        host.Publish("moves", new Numbered(1));
        await moves.CountAsync(1);
        var back = host.NextAsync(LinkState.Connected);
        await broker.Get().CloseConnectionsAsync("maintenance");
        await back.InTime();

        host.Publish("moves", new Numbered(2));
        host.Publish("chats", new Question(3)); // over the same channel of the publisher, so that it arrives last
        await chats.CountAsync(1);

        Assert.Single(moves.All);
        gate.Set();
        await moves.CountAsync(2);
        Assert.Equal([1L, 2L], moves.Messages.ConvertAll(static message => message.Number));
    }

    [Fact]
    public async Task A_connection_that_is_lost_while_its_channels_are_made_takes_nothing()
    {
        await using var fleet = new Fleet(broker.Get());
        var factory = Fleet.FactoryOf(broker.Get().Port);
        var host = await fleet.AddAsync(options: new RabbitOptions { RequestTimeout = TimeSpan.FromMinutes(10) }, factory: factory);
        await fleet.CutAsync(host, factory);
        await using var link = await BrokerConnection.OpenAsync(host.Keeper.OnLost, host.Keeper.OnBlocked, host.Queues.Names, host.Options, Fleet.FactoryOf(broker.Get().Port), CancellationToken.None).InTime();

        var publishing = host.Queues.OpenAsync(link, CancellationToken.None);
        link.Lose("The broker ended a subscription.");
        await publishing.InTime();

        Assert.Equal(SendStatus.Closed, host.Publish("passing", new Numbered(1)));
        Assert.Equal(RequestStatus.NotSent, (await host.TryRequestAsync<Question, Reply>("servers", new Question(1)).AsTask().InTime()).Status);
    }

    [Fact]
    public async Task A_host_whose_broker_reads_nothing_is_disposed_all_the_same()
    {
        using var stoppable = new StoppableWay(broker.Get().Port);
        var factory = Fleet.FactoryOf(stoppable.Port);
        factory.ContinuationTimeout = TimeSpan.FromHours(1); // the time that the client waits for a reply of the broker
        var host = await RabbitHost.ConnectAsync(factory, options: new RabbitOptions { StopTimeout = Fleet.ShortStop }).InTime();
        stoppable.Stop();
        while (host.Publish("passing", new Text(new string('x', 60_000))) == SendStatus.Sent)
            await Task.Yield();

        await host.DisposeAsync().AsTask().InTime();

        Assert.Equal(SendStatus.Closed, host.Publish("passing", new Numbered(1)));
    }

    [Fact]
    public async Task A_subscription_that_the_broker_refuses_says_why_and_harms_nobody()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();
        await host.SubscribeAsync("kept", DeliveryKind.AtLeastOnce, "all");
        var other = await fleet.AddAsync(options: new RabbitOptions { MaxQueueLength = 5 });

        var refused = await Assert.ThrowsAsync<OperationInterruptedException>(() => other.SubscribeAsync("kept", DeliveryKind.AtLeastOnce, "all"));

        Assert.Contains("x-max-length", refused.Message, StringComparison.Ordinal);
        Assert.Equal((LinkState.Connected, LinkState.Connected), (host.State, other.State));
        await other.SubscribeAsync("passing");
    }

    [Fact]
    public async Task At_most_once_handles_nothing_again_that_another_of_the_group_had()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var started = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        var first = await fleet.AddAsync(
            host => host.On(async (Numbered message, Origin _) =>
            {
                started.TrySetResult(message.Number);
                await Task.Delay(Timeout.Infinite);
            }),
            new RabbitOptions { StopTimeout = TimeSpan.FromMilliseconds(100) });
        var second = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await first.SubscribeAsync("shared", group: "servers");
        await second.SubscribeAsync("shared", group: "servers");
        second.Publish("shared", new Numbered(1));
        second.Publish("shared", new Numbered(2));
        var its = await started.Task.InTime();

        await first.DisposeAsync().AsTask().InTime();

        await Until.TrueAsync(() => second.GetStatistics().RedeliveriesDropped == 1);
        second.Publish("shared", new Numbered(3));
        await got.CountAsync(2);
        Assert.Equal([new Numbered(3 - its), new Numbered(3)], got.Messages);
    }

    [Fact]
    public async Task Without_a_broker_connecting_says_so()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var port = ((IPEndPoint)listener.LocalEndpoint).Port;
        listener.Stop();

        await Assert.ThrowsAsync<BrokerUnreachableException>(() => RabbitHost.ConnectAsync(Fleet.FactoryOf(port)).InTime());
    }
}
