using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Faults;

/// <summary>Groups with partitions whose hosts, connections or broker end amid messages with keys.</summary>
[Collection(DisturbedBroker.Name)]
public sealed class PartitionFaultTests(BrokerFixture broker)
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;
    private const int Keys = 16;
    private const int Partitions = 4;
    private const int MaxUnconfirmed = 100;
    private const int MaxUnhandled = 500; // what a busy machine handles in time after the last message

    [Fact]
    public async Task Partitions_of_a_killed_process_go_on_in_order_at_another_host()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var heir = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        var publisher = new Publisher(await fleet.AddAsync());
        using var victim = Victim.Start(broker.Get().Port, fleet.Scope, Partitions);
        Assert.Equal("ready", await victim.StandardOutput.ReadLineAsync().InTime());
        await heir.SubscribeAsync(Victim.Topic, Kept, Victim.Group, Victim.OptionsOf(Partitions));

        publisher.Start(Victim.Topic);
        var handled = new List<long>();
        while (handled.LastOrDefault() < Victim.FirstUnfinished) // the heir may get that message first, if the partitions are shared before
            handled.Add(long.Parse(await victim.StandardOutput.ReadLineAsync().InTime() ?? "", CultureInfo.InvariantCulture));
        var unfinished = handled[^1];
        victim.Kill(); // SIGKILL
        var rest = await victim.StandardOutput.ReadToEndAsync().InTime();
        handled.AddRange(rest.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => long.Parse(line, CultureInfo.InvariantCulture)));
        await got.UntilAsync(all => all.Any(one => one.Message.Number == unfinished));
        var count = await publisher.StopAsync();

        await got.UntilAsync(all => handled.Union(all.Select(static one => one.Message.Number)).Count() == count);
        AssertOrdered(handled.Concat(got.Messages.Select(static message => message.Number)));
        Assert.All(got.All.Where(one => handled.Contains(one.Message.Number)), static one => Assert.True(one.From.IsRepeated, $"{one}"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Hosts_whose_connections_or_broker_end_handle_each_key_in_order_and_lose_nothing(bool killsBroker)
    {
        var there = broker.Get();
        await using var fleet = new Fleet(there);
        var got = new Received<(long Number, string Host)>();
        var publisher = new Publisher(await fleet.AddAsync(), () => got.Count);
        RabbitHost[] hosts = [await JoinAsync("first"), await JoinAsync("second")];

        publisher.Start("matches");
        await got.UntilAsync(static all => all.Select(static one => one.Message.Host).Distinct().Count() == 2);
        var lost = hosts.Append(publisher.Host).Select(static host => host.NextAsync(LinkState.Disconnected)).ToArray();
        var back = hosts.Append(publisher.Host).Select(static host => host.NextAsync(LinkState.Connected)).ToArray();
        if (killsBroker)
        {
            await there.WriteAsync();
            await there.KillAsync();
            await Task.WhenAll(lost).InTime();
            await there.StartAgainAsync();
        }
        else
        {
            await there.CloseConnectionsAsync("cut");
        }

        await Task.WhenAll(back).InTime();
        var before = got.Count;
        await got.CountAsync(before + (10 * Keys));
        var count = await publisher.StopAsync();

        await got.UntilAsync(all => all.Select(static one => one.Message.Number).Distinct().Count() == count);
        AssertOrdered(got.Messages.Select(static one => one.Number));
        Assert.All(
            got.All.GroupBy(static one => one.Message.Number),
            static one => Assert.True(one.Count(static delivery => !delivery.From.IsRepeated) <= 1, $"{one.Key} came twice without a mark."));
        Assert.All(hosts, static host => Assert.Equal(0, host.GetStatistics().DeadLettered));

        async Task<RabbitHost> JoinAsync(string name)
        {
            var host = await fleet.AddAsync(host => host.On(async (Numbered message, Origin from) =>
            {
                got.Add((message.Number, name), from);
                await Task.Yield();
            }));
            await host.SubscribeAsync("matches", Kept, "scores", new SubscriptionOptions { Partitions = Partitions });
            return host;
        }
    }

    /// <summary>Checks the order in which the messages of each key were handled first.</summary>
    private static void AssertOrdered(IEnumerable<long> handled)
    {
        foreach (var key in handled.Distinct().GroupBy(static number => number % Keys))
            Assert.Equal(key.Order(), key);
    }

    /// <summary>Publishes the numbers 0, 1, 2 and so on, each with one of the keys.</summary>
    private sealed class Publisher(RabbitHost host, Func<int>? handled = null)
    {
        private Task<int> _publishing = Task.FromResult(0);
        private volatile bool _isStopping;

        public RabbitHost Host => host;

        public void Start(string topic) => _publishing = Task.Run(async () =>
        {
            var number = 0;
            for (; !_isStopping; number++)
            {
                Assert.Equal(SendStatus.Sent, await host.PublishAsync(topic, new Numbered(number), $"match {number % Keys}"));
                if (number % Keys != 0)
                    continue;
                await Task.Delay(20); // leaves time to the hosts
                await Until.TrueAsync(() => host.GetStatistics().Unconfirmed < MaxUnconfirmed && (handled is null || number - handled() < MaxUnhandled));
            }

            return number;
        });

        /// <summary>Returns the number of messages, after the broker has stored them.</summary>
        public async Task<int> StopAsync()
        {
            _isStopping = true;
            var count = await _publishing.InTime();
            await host.FlushAsync().InTime();
            return count;
        }
    }
}
