using System;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Links;

/// <summary>Hosts that connect in the background.</summary>
public sealed class BackgroundStartTests(BrokerFixture broker)
{
    [Fact]
    public async Task Message_published_before_the_connection_arrives()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var factory = Fleet.FactoryOf(1); // where no broker listens
        await using var host = RabbitHost.Start(
            factory,
            host =>
            {
                host.On<Numbered>(got.Add);
                host.OnRequest((Question question) => new Reply(question.Number + 1, 0));
                host.Subscribe("kept", DeliveryKind.AtLeastOnce, "all");
                host.Answer("counters");
            },
            new RabbitOptions { Scope = fleet.Scope });
        await Until.TrueAsync(() => host.GetStatistics().FailedConnects > 0);
        Assert.Equal((SendStatus.Sent, SendStatus.Closed), (host.Publish("kept", new Numbered(7), DeliveryKind.AtLeastOnce), host.Publish("kept", new Numbered(8))));
        Assert.Equal(LinkState.Disconnected, host.State);

        factory.Port = broker.Get().Port;

        await got.CountAsync(1);
        var asking = await fleet.AddAsync();
        Assert.Equal(8, (await asking.RequestAsync<Question, Reply>("counters", new Question(7))).Number);
        host.Subscribe("passing");
        await Until.TrueAsync(() => asking.Publish("passing", new Numbered(9)) == SendStatus.Sent && got.Messages.Count > 1);
    }

    [Fact]
    public async Task Host_without_a_broker_is_disposed()
    {
        var host = RabbitHost.Start(Fleet.FactoryOf(1), static host => host.Subscribe("load.*"));
        host.Publish("kept", new Numbered(1), DeliveryKind.AtLeastOnce);

        await host.DisposeAsync().AsTask().InTime();

        Assert.Equal(1, host.GetStatistics().Dropped);
        Assert.Equal(typeof(RabbitHost).FullName, Assert.Throws<ObjectDisposedException>(() => host.Subscribe("load.*")).ObjectName);
    }

    [Fact]
    public async Task Listener_that_waits_for_the_disposal_does_not_wait_for_itself()
    {
        var ended = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var host = RabbitHost.Start(Fleet.FactoryOf(1), host => host.LinkChanged += (_, _) => ended.TrySetResult(host.DisposeAsync().AsTask().Wait(Deadline.Length / 2)));

        Assert.True(await ended.Task.InTime());
    }

    [Fact]
    public void Wrong_subscription_fails_the_start() =>
        Assert.Throws<ArgumentException>(static () => RabbitHost.Start(Fleet.FactoryOf(1), static host => host.Subscribe("kept", DeliveryKind.AtLeastOnce)));
}
