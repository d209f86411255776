using System;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Faults;

/// <summary>A broker that reports that it is low on memory or disk.</summary>
[Collection(DisturbedBroker.Name)]
public sealed class AlarmTests(BrokerFixture shared) : IAsyncDisposable
{
    public ValueTask DisposeAsync() => shared.UndoAsync(static broker => broker.EndAlarmsAsync());

    [Theory]
    [InlineData("memory")]
    [InlineData("disk")]
    public async Task Publishing_is_Full_while_the_broker_takes_nothing_and_goes_on_afterwards(string resource)
    {
        var broker = shared.Get();
        await using var fleet = new Fleet(broker);
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host =>
        {
            host.On<Numbered>(got.Add);
            host.OnRequest((Question question) => new Reply(question.Number, 0));
        });
        await host.SubscribeAsync("kept", DeliveryKind.AtLeastOnce, "all");
        await host.SubscribeAsync("passing");
        var (blocked, free) = (host.NextAsync(LinkState.Blocked), host.NextAsync(LinkState.Connected));
        host.Publish("kept", new Numbered(1), DeliveryKind.AtLeastOnce);
        await got.CountAsync(1);

        await broker.StartAlarmAsync(resource);
        host.Publish("kept", new Numbered(2), DeliveryKind.AtLeastOnce); // who publishes hears of it
        var reason = await blocked.InTime();

        Assert.Contains(resource, reason, StringComparison.Ordinal);
        Assert.Equal(LinkState.Blocked, host.State);
        Assert.Equal(SendStatus.Full, host.Publish("kept", new Numbered(3), DeliveryKind.AtLeastOnce));
        Assert.Equal(SendStatus.Full, host.Publish("passing", new Numbered(3)));
        Assert.Equal(RequestStatus.Full, (await host.TryRequestAsync<Question, Reply>(host.Id, new Question(1)).AsTask().InTime()).Status);
        Assert.Equal((3, 0), (host.GetStatistics().SendsFull, host.GetStatistics().SendsClosed));
        var (kept, passing) = (
            host.PublishAsync("kept", new Numbered(4), DeliveryKind.AtLeastOnce).AsTask(),
            host.PublishAsync("passing", new Numbered(5)).AsTask());
        Assert.False(kept.IsCompleted || passing.IsCompleted);

        await broker.EndAlarmsAsync();
        await free.InTime();
        Assert.Equal((SendStatus.Sent, SendStatus.Sent), (await kept.InTime(), await passing.InTime()));
        await host.FlushAsync().InTime();
        await got.CountAsync(4);
        Assert.Equal([1L, 2L, 4L, 5L], got.Messages.Select(static message => message.Number).Order());
        Assert.Equal(7, (await host.RequestAsync<Question, Reply>(host.Id, new Question(7))).Number);
    }

    [Fact]
    public async Task First_request_of_a_host_that_connects_to_a_blocked_broker_is_Full()
    {
        var broker = shared.Get();
        await using var fleet = new Fleet(broker);
        await broker.StartAlarmAsync();
        var host = await fleet.AddAsync();

        var failed = await Assert.ThrowsAsync<RequestFailedException>(() => host.RequestAsync<Question, Reply>("servers", new Question(1)).AsTask().InTime());

        Assert.Equal((LinkState.Blocked, RequestStatus.Full), (host.State, failed.Status));
        Assert.Contains("broker", failed.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Host_connects_although_the_broker_is_blocked_after_its_first_confirmation()
    {
        await using var fleet = new Fleet(shared.Get());
        using var way = new StoppableWay(shared.Get().Port);
        var closing = way.StopBefore("publishes", 0, 20, 0, 40); // channel.close, which follows the confirmation
        var connecting = fleet.AddAsync(factory: Fleet.FactoryOf(way.Port));
        var client = await closing.InTime();

        byte[] blocked = [1, 0, 0, 0, 0, 0, 11, 0, 10, 0, 60, 6, .. "memory"u8, 0xCE]; // a frame with connection.blocked
        await client.WriteAsync(blocked);

        Assert.Equal(LinkState.Blocked, (await connecting).State);
    }

    [Fact]
    public async Task A_host_whose_broker_takes_nothing_can_be_disposed()
    {
        var broker = shared.Get();
        await using var fleet = new Fleet(broker);
        var host = await fleet.AddAsync();
        var blocked = host.NextAsync(LinkState.Blocked);
        await broker.StartAlarmAsync();
        host.Publish("kept", new Numbered(1), DeliveryKind.AtLeastOnce);
        await blocked.InTime();
        var waiting = host.PublishAsync("kept", new Numbered(2), DeliveryKind.AtLeastOnce).AsTask();

        await host.DisposeAsync().AsTask().InTime();

        Assert.Equal(SendStatus.Closed, await waiting);
    }
}
