using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Publishing;

/// <summary>Queues that are full, and topics that the broker refuses.</summary>
[Collection(DisturbedBroker.Name)]
public sealed class RefusedTopicTests(BrokerFixture broker)
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    [Fact]
    public async Task Publish_beside_a_full_topic_is_never_Full_for_other_topics()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var options = new RabbitOptions { Limits = new HostLimits { MaxPendingBytes = 100_000 }, StopTimeout = Fleet.ShortStop };
        await fleet.FillAsync("full", "absent");
        var consumer = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await consumer.SubscribeAsync("free", Kept, "present");
        var publisher = await fleet.AddAsync(options: options);
        for (var number = 0; number < 60; number++)
            Assert.Equal(SendStatus.Sent, publisher.Publish("full", new Numbered(-1), Kept));
        await Until.TrueAsync(() => publisher.GetStatistics().Rejected > 0);

        for (var number = 0; number < 2000; number++)
            Assert.Equal(SendStatus.Sent, await publisher.PublishAsync("free", new Numbered(number), Kept).AsTask().InTime());

        await got.UntilAsync(static all => all.Select(static one => one.Message.Number).Distinct().Count() == 2000);
        Assert.True(publisher.GetStatistics().Unconfirmed > 0);
    }

    [Fact]
    public async Task Full_queue_of_an_absent_group_sends_few_copies_to_the_others()
    {
        const int Count = 200;
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        await fleet.FillAsync("news", "absent");
        var present = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await present.SubscribeAsync("news", Kept, "present");
        var publisher = await fleet.AddAsync(options: new RabbitOptions { StopTimeout = Fleet.ShortStop });
        var stalled = new TaskCompletionSource<StalledTopic>(TaskCreationOptions.RunContinuationsAsynchronously);
        publisher.TopicStalled += topic => stalled.TrySetResult(topic);

        for (var number = 0; number < Count; number++)
            Assert.Equal(SendStatus.Sent, publisher.Publish("news", new Numbered(number), Kept));
        await got.UntilAsync(static all => all.Select(static one => one.Message.Number).Distinct().Count() == Count);
        Assert.Equal("news", (await stalled.Task.InTime()).Topic);
        var refused = publisher.GetStatistics().Rejected;
        await Until.TrueAsync(() => publisher.GetStatistics().Rejected > refused);

        Assert.Equal(1, publisher.GetStatistics().StalledTopics);
        Assert.InRange(got.Count, Count, Count + 20);
    }

    [Fact]
    public async Task Message_that_the_broker_refuses_is_put_aside_and_the_others_arrive()
    {
        await using var fleet = new Fleet(broker.Get());
        var user = fleet.Scope;
        await broker.Get().AddUserAsync(user, $"{fleet.Scope}.at-least-once", "^allowed$");
        var got = new Received<Numbered>();
        var consumer = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await consumer.SubscribeAsync("allowed", Kept, "all");
        var factory = Fleet.FactoryOf(broker.Get().Port);
        (factory.UserName, factory.Password) = (user, "secret");
        var publisher = await fleet.AddAsync(factory: factory);
        var refused = new TaskCompletionSource<RefusedPublication>(TaskCreationOptions.RunContinuationsAsynchronously);
        publisher.PublicationRefused += publication => refused.TrySetResult(publication);

        for (var number = 0; number <= 100; number++)
            Assert.Equal(SendStatus.Sent, publisher.Publish(number == 50 ? "forbidden" : "allowed", new Numbered(number), Kept));

        await got.UntilAsync(static all => all.Select(static one => one.Message.Number).Distinct().Count() == 100);
        var flushed = await Assert.ThrowsAsync<PublicationRefusedException>(() => publisher.FlushAsync().InTime());
        Assert.Equal(("forbidden", 1UL), ((await refused.Task.InTime()).Topic, flushed.Publication.Number));
        Assert.Contains("forbidden", flushed.Publication.Reason, System.StringComparison.Ordinal);
        var counts = publisher.GetStatistics();
        Assert.Equal((1, 0, 0), (counts.Refused, counts.Unconfirmed, counts.Disconnects));
        publisher.Publish("forbidden", new Numbered(101), Kept); // known by now
        await Until.TrueAsync(() => publisher.GetStatistics().Refused == 2);
    }

    [Fact]
    public async Task Message_above_the_limit_of_the_broker_is_put_aside_and_the_others_arrive()
    {
        await using var fleet = new Fleet(broker.Get());
        await SetMaxMessageSizeAsync(100_000);
        try
        {
            var got = new Received<Text>();
            var consumer = await fleet.AddAsync(host => host.On<Text>(got.Add));
            await consumer.SubscribeAsync("any", Kept, "all");
            var publisher = await fleet.AddAsync();

            publisher.Publish("any", new Text("before"), Kept);
            publisher.Publish("any", new Text(new string('x', 200_000)), Kept);
            publisher.Publish("any", new Text("after"), Kept);

            await got.UntilAsync(static all => all.Select(static one => one.Message.Value).Distinct().Count() == 2);
            await Assert.ThrowsAsync<PublicationRefusedException>(() => publisher.FlushAsync().InTime());
            Assert.Equal((1, 0), (publisher.GetStatistics().Refused, publisher.GetStatistics().Disconnects));
        }
        finally
        {
            await SetMaxMessageSizeAsync(134_217_728);
        }
    }

    [Fact]
    public async Task Message_at_most_once_that_the_broker_refuses_loses_no_connection()
    {
        await using var fleet = new Fleet(broker.Get());
        var user = fleet.Scope;
        await broker.Get().AddUserAsync(user, $"{fleet.Scope}.at-most-once", "^allowed$");
        var got = new Received<Numbered>();
        var consumer = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await consumer.SubscribeAsync("allowed");
        var factory = Fleet.FactoryOf(broker.Get().Port);
        (factory.UserName, factory.Password) = (user, "secret");
        var publisher = await fleet.AddAsync(factory: factory);

        publisher.Publish("forbidden", new Numbered(1));
        await Until.TrueAsync(() =>
        {
            publisher.Publish("allowed", new Numbered(2));
            return got.Count > 0;
        });

        Assert.Equal(0, publisher.GetStatistics().Disconnects);
    }

    [Fact]
    public async Task Broker_message_after_a_traced_one_carries_the_traceparent_of_its_own_activity()
    {
        await using var fleet = new Fleet(broker.Get());
        using var listener = new System.Diagnostics.ActivityListener
        {
            ShouldListenTo = static source => source.Name.StartsWith("RabbitMQ", System.StringComparison.Ordinal) || source.Name == nameof(RefusedTopicTests),
            Sample = static (ref System.Diagnostics.ActivityCreationOptions<System.Diagnostics.ActivityContext> options) =>
                options.Parent.TraceId != default || options.Source.Name == nameof(RefusedTopicTests)
                    ? System.Diagnostics.ActivitySamplingResult.AllData
                    : System.Diagnostics.ActivitySamplingResult.None,
        };
        System.Diagnostics.ActivitySource.AddActivityListener(listener);
        using var source = new System.Diagnostics.ActivitySource(nameof(RefusedTopicTests));
        var host = await fleet.AddAsync();
        await using var bare = await fleet.AddBareAsync();
        foreach (var kind in (string[])["at-most-once", "at-least-once"])
        {
            var queue = (await bare.QueueDeclareAsync()).QueueName;
            await bare.QueueBindAsync(queue, $"{fleet.Scope}.{kind}", "traced");
            var delivery = kind == "at-most-once" ? DeliveryKind.AtMostOnce : Kept;

            using (var activity = source.StartActivity("request"))
            {
                host.Publish("traced", new Numbered(1), delivery);
                Assert.Contains(activity!.TraceId.ToHexString(), TraceParentOf(await GetAsync(bare, queue)), System.StringComparison.Ordinal);
            }

            host.Publish("traced", new Numbered(2), delivery);
            Assert.Equal("", TraceParentOf(await GetAsync(bare, queue)));
        }
    }

    private static string TraceParentOf(BasicGetResult message) =>
        message.BasicProperties.Headers is { } headers && headers.TryGetValue("traceparent", out var value) ? System.Text.Encoding.UTF8.GetString((byte[])value!) : "";

    private static async Task<BasicGetResult> GetAsync(IChannel channel, string queue)
    {
        BasicGetResult? got = null;
        await Until.TrueAsync(async () => (got = await channel.BasicGetAsync(queue, autoAck: true)) is not null);
        return got!;
    }

    private async Task SetMaxMessageSizeAsync(int size) =>
        await broker.Get().EvaluateAsync($"application:set_env(rabbit, max_message_size, {size}), persistent_term:put(max_message_size, {size})");
}
