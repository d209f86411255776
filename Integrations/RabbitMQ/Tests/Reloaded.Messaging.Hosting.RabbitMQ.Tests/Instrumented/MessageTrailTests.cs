using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>docs/rabbitmq-architecture.md lists the files that a message passes over RabbitMQ. The tests record the files whose methods run for each of many messages.</summary>
public sealed class MessageTrailTests(BrokerFixture broker, ITestOutputHelper output)
{
    private const string Topic = "trail";
    private const int Warming = 200;
    private const int Recorded = 100;

    [Theory]
    [InlineData(DeliveryKind.AtMostOnce, "Publishing over RabbitMQ")]
    [InlineData(DeliveryKind.AtLeastOnce, "Publishing at least once", "Publishing over RabbitMQ")]
    public async Task Message_that_is_published_passes_the_files_of_the_page(DeliveryKind kind, string section, params string[] after)
    {
        await using var fleet = new Fleet(broker.Get());
        var receiver = await fleet.AddAsync(static host => host.On(static (Numbered _) => { }));
        await receiver.SubscribeAsync(Topic, kind, GroupOf(kind));

        TrailPage.Check(output, await RunAsync(nameof(PublishAsync), fleet, kind), section, after);
    }

    [Theory]
    [InlineData(DeliveryKind.AtMostOnce, "A delivery of RabbitMQ")]
    [InlineData(DeliveryKind.AtLeastOnce, "A delivery at least once", "A delivery of RabbitMQ")]
    public async Task Delivery_passes_the_files_of_the_page(DeliveryKind kind, string section, params string[] after)
    {
        await using var fleet = new Fleet(broker.Get());
        var sender = await fleet.AddAsync();

        TrailPage.Check(output, await RunAsync(nameof(ReceiveAsync), fleet, kind, () => Assert.Equal(SendStatus.Sent, sender.Publish(Topic, new Numbered(1), kind))), section, after);
    }

    public static async Task<IReadOnlyList<string>> PublishAsync(int port, string scope, int kind)
    {
        await using var host = await RabbitHost.ConnectAsync(Fleet.FactoryOf(port), options: new RabbitOptions { Scope = scope });
        var trails = new List<IReadOnlyList<string>>();
        for (var number = 0; number < Warming + Recorded; number++)
        {
            CallTrail.Begin();
            for (var i = 0; i < 2; i++) // the host handles the end of the first message to the last call before that of the second one
            {
                host.Publish(Topic, new Numbered(number), (DeliveryKind)kind);
                await host.FlushAsync();
            }

            trails.Add(CallTrail.End());
        }

        return CallTrail.CommonOf(trails, Warming);
    }

    /// <summary>Records from the handler of each message to the handler of the next message: the end of a delivery, and the begin of the next one.</summary>
    /// <param name="port">The port of the broker.</param>
    /// <param name="scope">The scope of the hosts.</param>
    /// <param name="kind">The delivery guarantee.</param>
    /// <param name="publish">Publishes the next message.</param>
    public static async Task<IReadOnlyList<string>> ReceiveAsync(int port, string scope, int kind, Action publish)
    {
        var trails = new List<IReadOnlyList<string>>();
        var done = Signal.New<bool>();
        await using var host = await RabbitHost.ConnectAsync(
            Fleet.FactoryOf(port),
            host => host.On((in Numbered _, Origin _) =>
            {
                trails.Add(CallTrail.End());
                CallTrail.Begin();
                if (trails.Count < Warming + Recorded)
                    publish();
                else
                    done.TrySetResult(true);
            }),
            new RabbitOptions { Scope = scope });
        await host.SubscribeAsync(Topic, (DeliveryKind)kind, GroupOf((DeliveryKind)kind));
        publish();
        await done.Task.InTime();
        return CallTrail.CommonOf(trails, Warming);
    }

    private static string? GroupOf(DeliveryKind kind) => kind == DeliveryKind.AtLeastOnce ? "all" : null;

    private static Task<IReadOnlyList<string>> RunAsync(string scenario, Fleet fleet, DeliveryKind kind, params object[] more) =>
        InstrumentedLibrary.RunAsync<IReadOnlyList<string>>(typeof(MessageTrailTests).GetMethod(scenario)!, [fleet.Port, fleet.Scope, (int)kind, .. more]).InTime();
}
