using System;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Receiving;

public sealed class StalledHandlerTests(BrokerFixture broker)
{
    [Fact]
    public async Task Handler_near_the_timeout_is_reported_once()
    {
        await using var fleet = new Fleet(broker.Get());
        var reported = new TaskCompletionSource<StalledHandler>(TaskCreationOptions.RunContinuationsAsynchronously);
        var host = await fleet.AddAsync(
            host => host.On((Numbered _, Origin _) => new ValueTask(reported.Task)),
            new RabbitOptions { HandlerTimeout = TimeSpan.FromSeconds(1) });
        host.HandlerStalled += handler => reported.TrySetResult(handler);
        var subscription = await host.SubscribeAsync("work", DeliveryKind.AtLeastOnce, "workers");

        host.Publish("work", new Numbered(1), DeliveryKind.AtLeastOnce);
        var stalled = await reported.Task.InTime();

        Assert.Equal((subscription, 1UL, TimeSpan.FromSeconds(1)), (stalled.Subscription, stalled.From.Number, stalled.Timeout));
        Assert.True(stalled.Elapsed >= TimeSpan.FromSeconds(0.75));
        Assert.Equal(1, host.GetStatistics().StalledHandlers);
    }
}
