using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

/// <summary>Requests of a host that publishes more events than the broker accepts.</summary>
public sealed class RequestFloodTests(BrokerFixture broker)
{
    [Fact]
    public async Task Request_beside_full_queue_of_events_is_sent_and_replied()
    {
        await using var fleet = new Fleet(broker.Get());
        var patient = new RabbitOptions { RequestTimeout = TimeSpan.FromMinutes(10) };
        var server = await fleet.AddAsync(static host => host.OnRequest(static (Question question) => new Reply(question.Number, 0)), patient);
        await server.AnswerAsync("servers");
        var client = await fleet.AddAsync(options: patient);
        var full = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var stop = new CancellationTokenSource();
        var flooding = Task.Run(() =>
        {
            while (!stop.IsCancellationRequested)
            {
                if (client.Publish("flood", new Numbered(1)) == SendStatus.Sent)
                    continue;
                full.TrySetResult();
                Thread.Yield();
            }
        });
        await full.Task.InTime();

        for (var number = 0; number < 5; number++)
        {
            var result = await client.TryRequestAsync<Question, Reply>("servers", new Question(number)).AsTask().InTime();
            Assert.Equal((RequestStatus.Replied, number), (result.Status, result.Reply.Number));
        }

        await stop.CancelAsync();
        await flooding.InTime();
        Assert.True(client.GetStatistics().SendsFull > 0);
    }

    [Fact]
    public async Task Request_is_answered_while_the_broker_does_not_read_the_events_of_its_host()
    {
        await using var fleet = new Fleet(broker.Get());
        var server = await fleet.AddAsync(static host => host.OnRequest(static (Question question) => new Reply(question.Number, 0)));
        await server.AnswerAsync("servers");
        using var stoppable = new StoppableWay(broker.Get().Port);
        await using var host = await RabbitHost.ConnectAsync(Fleet.FactoryOf(stoppable.Port), options: new RabbitOptions { Scope = fleet.Scope, StopTimeout = Fleet.ShortStop }).InTime();
        stoppable.Stop("publishes");
        while (host.Publish("flood", new Numbered(1)) == SendStatus.Sent)
            await Task.Yield();

        var result = await host.TryRequestAsync<Question, Reply>("servers", new Question(1)).AsTask().InTime();

        Assert.Equal(RequestStatus.Replied, result.Status);
    }

    [Fact]
    public async Task Request_while_events_wait_for_a_broker_that_does_not_read_is_accepted()
    {
        using var stoppable = new StoppableWay(broker.Get().Port);
        await using var host = await RabbitHost.ConnectAsync(Fleet.FactoryOf(stoppable.Port), options: new RabbitOptions { StopTimeout = Fleet.ShortStop }).InTime();
        stoppable.Stop();
        while (host.Publish("flood", new Numbered(1)) == SendStatus.Sent)
            await Task.Yield();

        var result = await host.TryRequestAsync<Question, Reply>("servers", new Question(1), TimeSpan.FromMilliseconds(100)).AsTask().InTime();

        Assert.Equal(RequestStatus.TimedOut, result.Status);
    }
}
