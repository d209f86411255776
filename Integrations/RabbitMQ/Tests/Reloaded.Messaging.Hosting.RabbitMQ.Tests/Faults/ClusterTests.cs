using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Examples.Broker;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Faults;

/// <summary>Hosts of a cluster of three nodes, of which some are killed.</summary>
public sealed class ClusterTests(ClusterFixture cluster) : IClassFixture<ClusterFixture>
{
    private const int Publishers = 2;

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(5);

    /// <summary>The messages of each publisher. Set the variable of <see cref="BrokerRestartTests"/> to 50000 for the full run.</summary>
    private static readonly int s_count = int.Parse(Environment.GetEnvironmentVariable(BrokerRestartTests.CountVariable) ?? "10000", CultureInfo.InvariantCulture);

    [Fact]
    public async Task Leader_killed_amid_messages_of_two_publishers_loses_none_for_two_groups()
    {
        Assert.SkipUnless(LocalBroker.Missing is null, LocalBroker.Missing ?? "");
        await using var fleet = new Fleet(cluster.Nodes[0]);
        Group[] groups = [new(), new()];
        foreach (var (index, group) in groups.Index())
        {
            for (var member = 0; member < 2; member++)
            {
                var consumer = await AddAsync(fleet, host => host.On<Numbered>(group.Add), maxTries: 100);
                await consumer.SubscribeAsync("work", DeliveryKind.AtLeastOnce, $"group{index}");
            }
        }

        var publishers = new List<RabbitHost>();
        for (var publisher = 0; publisher < Publishers; publisher++)
            publishers.Add(await AddAsync(fleet));

        var publishing = publishers.Select((host, index) => Task.Run(async () =>
        {
            for (var number = 0; number < s_count; number++)
                Assert.Equal(SendStatus.Sent, await host.PublishAsync("work", new Numbered((number * Publishers) + index), DeliveryKind.AtLeastOnce));
        })).ToArray();
        await groups[0].CountAsync(Publishers * s_count / 3);
        var leader = await cluster.FindNodeAsync($"{fleet.Scope}.kept.group0.work");
        await leader.KillAsync();
        await Task.WhenAll(publishing).WaitAsync(s_patience);
        await Task.WhenAll(publishers.Select(static host => host.FlushAsync())).WaitAsync(s_patience);
        foreach (var group in groups)
            await group.CountAsync(Publishers * s_count);

        await leader.StartAgainAsync();
        Assert.All(groups, static group => Assert.Equal((Publishers * s_count, 0), (group.Count, group.Unmarked)));
        Assert.All(publishers, static host => Assert.Equal(0, host.GetStatistics().Unconfirmed));
        foreach (var group in groups)
            TestContext.Current.TestOutputHelper?.WriteLine($"{group.Count} messages, {group.Repeats} repeats, longest gap {group.LongestGap.TotalMilliseconds:0} ms.");
    }

    [Fact]
    public async Task Node_of_shared_queues_killed_moves_them_to_another_node()
    {
        Assert.SkipUnless(LocalBroker.Missing is null, LocalBroker.Missing ?? "");
        await using var fleet = new Fleet(cluster.Nodes[0]);
        var got = new Received<Numbered>();
        var server = await AddAsync(fleet, host =>
        {
            host.OnRequest(static (Question question) => new Reply(question.Number, 0));
            host.On<Numbered>(got.Add);
        });
        await server.AnswerAsync("servers");
        await server.SubscribeAsync("moves", group: "servers");
        var client = await AddAsync(fleet);

        var node = await cluster.FindNodeAsync($"{fleet.Scope}.answers.servers");
        await node.KillAsync();

        await Until.TrueAsync(async () => (await client.TryRequestAsync<Question, Reply>("servers", new Question(1), TimeSpan.FromSeconds(1))).Status == RequestStatus.Replied);
        await Until.TrueAsync(() =>
        {
            client.Publish("moves", new Numbered(1));
            return got.Count > 0;
        });
        await node.StartAgainAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Two_of_three_nodes_killed_is_reported_bounds_publishers_and_recovers(bool connectsAfterwards)
    {
        Assert.SkipUnless(LocalBroker.Missing is null, LocalBroker.Missing ?? "");
        await using var fleet = new Fleet(cluster.Nodes[0]);
        var group = new Group();
        var topic = $"work-{connectsAfterwards}";
        var consumer = await AddAsync(fleet, host => host.On<Numbered>(group.Add), maxTries: 100);
        await consumer.SubscribeAsync(topic, DeliveryKind.AtLeastOnce, "group");
        var (number, isStalled) = (0, false);
        var reasons = new List<string>();
        var publisher = connectsAfterwards ? null : await AddPublisherAsync();

        await Task.WhenAll(cluster.Nodes[1].KillAsync(), cluster.Nodes[2].KillAsync());
        publisher ??= await AddPublisherAsync();
        while (publisher.Publish(topic, new Numbered(number), DeliveryKind.AtLeastOnce) == SendStatus.Sent)
            number++;
        await Until.TrueAsync(() => publisher.State != LinkState.Connected || Volatile.Read(ref isStalled)); // the broker confirms nothing, or refuses all messages of a connection that is new

        Assert.InRange(number, 1, 64 * 1024 / 256);
        lock (reasons)
            Assert.All(reasons, static reason => Assert.NotEmpty(reason));
        await Task.WhenAll(cluster.Nodes[1].StartAgainAsync(), cluster.Nodes[2].StartAgainAsync());
        await publisher.FlushAsync().WaitAsync(s_patience);
        await group.CountAsync(number);
        await Until.TrueAsync(() => publisher.State == LinkState.Connected && publisher.GetStatistics().StalledTopics == 0);
        Assert.Equal((number, 0), (group.Count, group.Unmarked));

        async Task<RabbitHost> AddPublisherAsync()
        {
            var options = new RabbitOptions { Limits = new HostLimits { MaxPendingBytes = 64 * 1024 }, ConfirmTimeout = TimeSpan.FromSeconds(1) };
            var host = await AddAsync(fleet, options: options);
            host.TopicStalled += _ => Volatile.Write(ref isStalled, true);
            host.LinkChanged += (_, reason) =>
            {
                lock (reasons)
                    reasons.Add(reason);
            };
            return host;
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Queue_without_a_majority_stops_only_its_topic(bool isKnownBefore)
    {
        const int Count = 2000;
        const int Each = 4;
        Assert.SkipUnless(LocalBroker.Missing is null, LocalBroker.Missing ?? "");
        await using var fleet = new Fleet(cluster.Nodes[0]);
        var (spread, alone) = (new Group(), new Group());
        var consumer = await AddAsync(fleet, host => host.On<Numbered>(spread.Add), maxTries: 100);
        await consumer.SubscribeAsync("spread", DeliveryKind.AtLeastOnce, "group");
        var local = await fleet.AddAsync(
            host =>
            {
                host.On<Numbered>(alone.Add);
                host.OnRequest(static (Question question) => new Reply(question.Number, 0));
            },
            new RabbitOptions { QueueReplicas = 1 });
        await local.SubscribeAsync("alone", DeliveryKind.AtLeastOnce, "group");
        var publisher = await fleet.AddAsync();
        var stalled = new TaskCompletionSource<StalledTopic>(TaskCreationOptions.RunContinuationsAsynchronously);
        publisher.TopicStalled += topic => stalled.TrySetResult(topic);
        var sent = 0;
        if (isKnownBefore)
        {
            PublishSpread();
            await publisher.FlushAsync();
        }

        await Task.WhenAll(cluster.Nodes[1].KillAsync(), cluster.Nodes[2].KillAsync());
        for (var number = 0; number < Count; number++)
        {
            if (number % Each == 0)
                PublishSpread();
            Assert.Equal(SendStatus.Sent, publisher.Publish("alone", new Numbered(number), DeliveryKind.AtLeastOnce));
        }

        await Until.TrueAsync(() => alone.Count == Count); // a channel that waits for the other queue does nothing for 65 s
        Assert.Equal(RequestStatus.Replied, (await publisher.TryRequestAsync<Question, Reply>(local.Id, new Question(1))).Status);
        Assert.Equal("spread", (await stalled.Task.InTime()).Topic);
        Assert.Equal(LinkState.Connected, publisher.State);
        await Task.WhenAll(cluster.Nodes[1].StartAgainAsync(), cluster.Nodes[2].StartAgainAsync());
        await publisher.FlushAsync().WaitAsync(s_patience);
        await spread.CountAsync(sent);
        Assert.Equal((0, 0, 0), (alone.Unmarked, spread.Unmarked, publisher.GetStatistics().StalledTopics));
        Assert.Equal((0, true), (alone.Repeats, alone.IsInOrder));
        TestContext.Current.TestOutputHelper?.WriteLine($"{spread.Repeats} repeats, {publisher.GetStatistics().Rejected} refused.");

        void PublishSpread() => Assert.Equal(SendStatus.Sent, publisher.Publish("spread", new Numbered(sent++), DeliveryKind.AtLeastOnce));
    }

    private Task<RabbitHost> AddAsync(Fleet fleet, Action<RabbitHost>? configure = null, int maxTries = 5, RabbitOptions? options = null) =>
        fleet.AddAsync(configure, new RabbitOptions
        {
            Endpoints = cluster.Endpoints,
            QueueReplicas = 3,
            MaxTries = maxTries,
            Limits = options?.Limits ?? HostLimits.Default,
            ConfirmTimeout = options?.ConfirmTimeout ?? TimeSpan.FromSeconds(10),
        });

    /// <summary>The messages that the consumers of a group handled.</summary>
    private sealed class Group
    {
        private readonly HashSet<long> _seen = [];
        private long _lastAt = Environment.TickCount64;

        public int Count
        {
            get
            {
                lock (_seen)
                    return _seen.Count;
            }
        }

        /// <summary>Whether the messages came with rising numbers.</summary>
        public bool IsInOrder { get; private set; } = true;

        /// <summary>The number of messages that came again.</summary>
        public int Repeats { get; private set; }

        /// <summary>The number of messages that came again without a mark.</summary>
        public int Unmarked { get; private set; }

        public TimeSpan LongestGap { get; private set; }

        public void Add(in Numbered message, Origin from)
        {
            lock (_seen)
            {
                var now = Environment.TickCount64;
                var gap = TimeSpan.FromMilliseconds(now - _lastAt);
                _lastAt = now;
                if (gap > LongestGap)
                    LongestGap = gap;
                IsInOrder &= message.Number >= _seen.Count;
                if (_seen.Add(message.Number))
                    return;
                Repeats++;
                Unmarked += from.IsRepeated ? 0 : 1;
            }
        }

        /// <summary>Waits until a number of different messages were handled.</summary>
        public async Task CountAsync(int count)
        {
            var end = Environment.TickCount64 + (long)s_patience.TotalMilliseconds;
            while (Count < count)
            {
                Assert.True(Environment.TickCount64 < end, $"{Count} of {count} messages were handled.");
                await Task.Delay(5);
            }
        }
    }
}
