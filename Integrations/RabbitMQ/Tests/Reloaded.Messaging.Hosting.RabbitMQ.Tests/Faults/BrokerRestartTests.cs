using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Faults;

/// <summary>A broker that is killed and started again while messages are on their way.</summary>
[Collection(DisturbedBroker.Name)]
public sealed class BrokerRestartTests(BrokerFixture shared)
{
    /// <summary>Set to 200000 for the full run.</summary>
    internal const string CountVariable = "RELOADED_MESSAGING_RABBIT_MESSAGES";

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    private static readonly int s_count = int.Parse(Environment.GetEnvironmentVariable(CountVariable) ?? "20000", CultureInfo.InvariantCulture);

    [Fact]
    public async Task At_least_once_handles_every_message_and_marks_those_that_come_again_or_are_delayed()
    {
        var broker = shared.Get();
        await using var fleet = new Fleet(broker);
        var (seen, failed) = (new Dictionary<long, int>(), new HashSet<long>());
        var (unmarked, wrongNumbers) = (0, 0);
        var all = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var half = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var consumer = await fleet.AddAsync(
            host => host.On((in Numbered message, Origin from) =>
            {
                lock (seen)
                {
                    if (message.Number % 100 == 0 && failed.Add(message.Number))
                        throw new InvalidOperationException("Not at the first try.");
                    unmarked += failed.Contains(message.Number) && !from.IsRepeated ? 1 : 0;
                    if (!seen.TryAdd(message.Number, 1))
                    {
                        seen[message.Number]++;
                        unmarked += from.IsRepeated ? 0 : 1;
                    }

                    wrongNumbers += from.Number == (ulong)message.Number ? 0 : 1;
                    if (seen.Count == s_count / 3)
                        half.TrySetResult();
                    if (seen.Count == s_count)
                        all.TrySetResult();
                }
            }),
            new RabbitOptions { MaxTries = 100, RetryDelay = TimeSpan.FromMilliseconds(500), MaxRetryDelay = TimeSpan.FromMilliseconds(500) });
        await consumer.SubscribeAsync("work", DeliveryKind.AtLeastOnce, "workers");
        var publisher = await fleet.AddAsync();
        var (lost, back) = (publisher.NextAsync(LinkState.Disconnected), new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));

        var publishing = Task.Run(async () =>
        {
            for (var number = 1; number <= s_count; number++)
                Assert.Equal(SendStatus.Sent, await publisher.PublishAsync("work", new Numbered(number), DeliveryKind.AtLeastOnce));
        });
        await half.Task.WaitAsync(s_patience);
        await broker.WriteAsync(); // with the queue of the delayed messages
        await broker.KillAsync();
        await lost.InTime();
        var connected = publisher.NextAsync(LinkState.Connected);
        await broker.StartAgainAsync();
        await connected.InTime();
        await publishing.WaitAsync(s_patience);
        await publisher.FlushAsync().WaitAsync(s_patience);
        await all.Task.WaitAsync(s_patience);

        lock (seen)
        {
            Assert.Equal(s_count, seen.Count);
            Assert.Equal((0, 0), (unmarked, wrongNumbers));
        }

        var (sent, received) = (publisher.GetStatistics(), consumer.GetStatistics());
        Assert.Equal(0, sent.Unconfirmed);
        Assert.Equal(s_count / 100, received.HandlerFailures);
        Assert.True(sent.Disconnects > 0 && received.Disconnects > 0 && sent.FailedConnects > 0, $"{sent.Disconnects} {received.Disconnects} {sent.FailedConnects}");
        TestContext.Current.TestOutputHelper?.WriteLine($"{s_count} messages, {sent.Resent} sent again, {seen.Values.Sum() - s_count} handled again, {received.Repeated} marked.");
    }

    [Fact]
    public async Task At_most_once_counts_every_message_that_is_missing_and_handles_none_twice()
    {
        var broker = shared.Get();
        await using var fleet = new Fleet(broker);
        var seen = new HashSet<long>();
        var (twice, started) = (0, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        long last = 0;
        var consumer = await fleet.AddAsync(host => host.On((in Numbered message, Origin _) =>
        {
            lock (seen)
            {
                twice += seen.Add(message.Number) ? 0 : 1;
                if (seen.Count == 1000)
                    started.TrySetResult();
            }

            Volatile.Write(ref last, message.Number);
        }));
        var gaps = new List<RabbitGap>();
        consumer.GapFound += gaps.Add;
        await consumer.SubscribeAsync("positions");
        var publisher = await fleet.AddAsync();
        var lost = publisher.NextAsync(LinkState.Disconnected);
        using var stop = new CancellationTokenSource();
        long sent = 0;
        var closed = 0;
        var publishing = Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                switch (await publisher.PublishAsync("positions", new Numbered(sent + 1)))
                {
                    case SendStatus.Sent:
                        Volatile.Write(ref sent, sent + 1);
                        break;
                    default:
                        closed++;
                        await Task.Delay(5);
                        break;
                }
            }
        });

        await started.Task.InTime();
        await broker.KillAsync();
        await lost.InTime();
        var (publisherBack, consumerBack) = (publisher.NextAsync(LinkState.Connected), consumer.NextAsync(LinkState.Connected));
        await broker.StartAgainAsync();
        await Task.WhenAll(publisherBack, consumerBack).InTime();
        var before = Volatile.Read(ref last);
        await Until.TrueAsync(() => Volatile.Read(ref last) > before + 1000);
        await stop.CancelAsync();
        await publishing.InTime();
        await Until.TrueAsync(() => Volatile.Read(ref last) == sent);

        var counted = consumer.GetStatistics().Missed;
        lock (seen)
        {
            Assert.Equal(0, twice);
            Assert.Equal(sent, seen.Count + counted);
        }

        Assert.True(counted > 0);
        Assert.Equal(counted, gaps.Sum(static gap => gap.Missed));
        Assert.All(gaps, gap => Assert.All(Enumerable.Range(0, (int)gap.Missed), index => Assert.DoesNotContain((long)gap.First + index, seen)));
        Assert.True(closed > 0, "While there is no connection, nothing is taken.");
    }
}
