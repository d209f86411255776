using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Examples.Broker;
using RabbitMQ.Client;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Benchmarks.Rabbit.Confirmed;
using Reloaded.Messaging.Benchmarks.Rabbit.Processes;
using Reloaded.Messaging.Benchmarks.Rabbit.Publishing;
using Reloaded.Messaging.Benchmarks.Rabbit.Requests;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Benchmarks.Rabbit;

/// <summary>Group <c>rabbit</c>: hosts, compared with the client library alone, over a broker on this machine.</summary>
/// <remarks>In the figures without a receiver, every message goes into a queue that keeps the last thousand messages, so that the broker does its full work in each case.</remarks>
public sealed class RabbitFigures(Action<Figure> print) : FigureGroup(print)
{
    private const string AtMostOnce = "reloaded.at-most-once";
    private const string AtLeastOnce = "reloaded.at-least-once";
    private const int ConfirmedRounds = 7;
    private const int RecoveryRounds = 3;
    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_confirmedTime = TimeSpan.FromMilliseconds(500);

    public override string Method => "Hosts are compared with RabbitMQ.Client, over a broker on the same machine. Events have equal bodies and properties. "
        + "`publish`, `batch`, `alloc` and `confirmed` have no receiver: a queue keeps the last thousand messages. "
        + "`alloc` is the number of allocated bytes above those of the client (`floor`) in bursts of 16 messages, `alloc.flood` at full speed, where it varies with the timing of both sides. "
        + $"`confirmed` publishes at least once, with at most {IConfirmedPublisher.Window} unconfirmed messages; a host has at most 200 unconfirmed publications. Its alternative is the tracking of confirms by the client, with awaited batches of publications; for `confirmed.counted`, it is a program that counts the confirms itself. "
        + "`request` sends requests between two processes, one after the other, with bodies of the same size; the alternative uses direct reply-to. "
        + $"`scaled` has 1 to 8 pairs of processes, a publisher and a consumer each, at least once. Both sides use quorum queues with equal arguments, at most {IConfirmedPublisher.Window} unconfirmed messages for each publisher (a host: 200), and a prefetch of 256. They acknowledge each message. The rates include the time until all messages are handled. "
        + $"`flood.request` is the time of the slowest request but one in a hundred, of a host that publishes at most once at full speed; `floor` is the same of the quiet host, in {RecoveryRounds} rounds of {RabbitRecovery.Requests} requests. "
        + $"`resubscribe` is the time from the closing of a connection at the broker until {RabbitRecovery.Subscriptions} subscriptions have received a message again; `floor` is that of the client library alone, with a channel and a queue for each topic. "
        + $"`reconnect` is the time from the start of a killed broker until {RabbitRecovery.Hosts} hosts of one process are connected. "
        + PairedRuns.Method
        + $" `confirmed` and `scaled`: {ConfirmedRounds} rounds of {s_confirmedTime.TotalMilliseconds} ms.";

    /// <summary>The plotted figures, each with its task and its alternative.</summary>
    public static IReadOnlyList<(string Figure, string Work, string Alternative)> Plotted { get; } =
    [
        ("rabbit.publish", "publish to a broker", "RabbitMQ.Client"),
        ("rabbit.batch", "publish in batches of 2 ms", "RabbitMQ.Client, one by one"),
        ("rabbit.confirmed", "publish with confirms", "RabbitMQ.Client, awaiting batches"),
        ("rabbit.confirmed.counted", "publish with confirms, counted", "RabbitMQ.Client, counting by hand"),
        ("rabbit.request", "request over a broker, one at a time", "RabbitMQ.Client, direct reply-to"),
        ("rabbit.scaled.1", "publish and handle at least once, one pair", "RabbitMQ.Client"),
        ("rabbit.scaled.2", "publish and handle at least once, 2 pairs", "RabbitMQ.Client"),
        ("rabbit.scaled.4", "publish and handle at least once, 4 pairs", "RabbitMQ.Client"),
        ("rabbit.scaled.8", "publish and handle at least once, 8 pairs", "RabbitMQ.Client"),
    ];

    public override void Measure() => MeasureAsync().GetAwaiter().GetResult();

    private async Task MeasureAsync()
    {
        if (LocalBroker.Missing is not null)
        {
            Skipped = LocalBroker.Missing;
            Console.Error.WriteLine($"The group rabbit is skipped. {Skipped}");
            return;
        }

        await using var broker = await LocalBroker.StartAsync();
        var factory = new ConnectionFactory { HostName = "127.0.0.1", Port = broker.Port };
        await PublishAsync(factory);
        if (OnlyAllocations)
            return;
        await ConfirmedAsync(factory);
        await RequestAsync(factory);
        await ScaledAsync(factory.Port);
        await AskWhileFloodingAsync(factory);
        await RecoverAsync(broker, factory);
    }

    private async Task PublishAsync(ConnectionFactory factory)
    {
        const string Topic = "figures";
        await using var host = await RabbitHost.ConnectAsync(factory, Configure);
        await using var batching = await RabbitHost.ConnectAsync(factory, Configure, new RabbitOptions { BatchDelay = TimeSpan.FromMilliseconds(2) });
        await using var connection = await factory.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        await channel.QueueDeclareAsync(Topic, durable: false, exclusive: true, autoDelete: true, new Dictionary<string, object?> { ["x-max-length"] = 1000 });
        await channel.QueueBindAsync(Topic, AtMostOnce, Topic);

        var bare = new BarePublish(channel, AtMostOnce, Topic);
        var (ours, batched) = (new HostPublish(host, Topic), new HostPublish(batching, Topic));
        await CompareAsync(channel, Topic, () => bare.PublishAsync(1), () => ours.PublishAsync(1));

        var single = await RunDuelAsync(bare.RunAsync, ours.RunAsync);
        ReportPaired("rabbit.publish", single, 0.95);
        var together = await RunDuelAsync(bare.RunAsync, batched.RunAsync);
        ReportPaired("rabbit.batch", together, 5);
        await AllocationAsync(bare, ours);
    }

    private async Task ConfirmedAsync(ConnectionFactory factory)
    {
        const string Topic = "confirmed";
        await using var host = await RabbitHost.ConnectAsync(factory, options: HostConfirmed.Options);
        await using var connection = await factory.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        await channel.QueueDeclareAsync(Topic, durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-queue-type"] = "quorum", ["x-max-length"] = 1000 });
        await channel.QueueBindAsync(Topic, AtLeastOnce, Topic);

        var ours = new HostConfirmed(host, Topic);
        var counted = await BareConfirmed.OpenAsync(connection, AtLeastOnce, Topic);
        var batches = await BareBatches.OpenAsync(connection, AtLeastOnce, Topic);
        await CompareAsync(channel, Topic, () => counted.SendAsync(1), () => ours.SendAsync(1));

        foreach (var publisher in (IConfirmedPublisher[])[batches, counted, ours])
            await publisher.PublishAsync(s_warmUp);
        ReportPaired("rabbit.confirmed", await DuelAsync(RateOf(batches), RateOf(ours)), 1);
        ReportPaired("rabbit.confirmed.counted", await DuelAsync(RateOf(counted), RateOf(ours)), null);
        await channel.QueueDeleteAsync(Topic, ifUnused: false, ifEmpty: false);
    }

    private async Task RequestAsync(ConnectionFactory factory)
    {
        const string Name = "responder";
        using var responder = await RabbitPeer.StartAsync(RabbitRole.Responder, factory.Port, Name);
        await using var host = await RabbitHost.ConnectAsync(factory);
        await using var connection = await factory.CreateConnectionAsync();
        var ours = new HostRequests(host, Name);
        var bare = await BareRequests.OpenAsync(connection, Name, await CaptureRequestAsync(connection, Name, ours));
        var duel = await RunDuelAsync(bare.RunAsync, ours.RunAsync);
        Report("rabbit.request.ratio", "ratio", duel.Ratios.ConvertAll(static ratio => 1 / ratio), 1.3);
        Report("rabbit.request.floor.ns", "ns", duel.Floor.ConvertAll(static rate => 1e9 / rate));
        Report("rabbit.request.ns", "ns", duel.Ours.ConvertAll(static rate => 1e9 / rate));
    }

    private async Task ScaledAsync(int port)
    {
        using var pairs = new ProcessPairs(port);
        foreach (var count in (int[])[1, 2, 4, 8])
        {
            await pairs.GrowAsync(count);
            var duel = await DuelAsync(time => pairs.RunAsync(RabbitRole.Bare, time), time => pairs.RunAsync(RabbitRole.Ours, time));
            ReportPaired($"rabbit.scaled.{count}", duel, 0.9);
        }
    }

    private async Task AskWhileFloodingAsync(ConnectionFactory factory)
    {
        const string Name = "responder of a flood";
        using var responder = await RabbitPeer.StartAsync(RabbitRole.Responder, factory.Port, Name);
        var (quiet, flooding) = await RabbitRecovery.AskAsync(factory, Name, RecoveryRounds);
        Report("rabbit.flood.request.ratio", "ratio", flooding.Zip(quiet, static (busy, idle) => busy / idle).ToList(), 4);
        Report("rabbit.flood.request.floor.p99", "ms", quiet);
        Report("rabbit.flood.request.p99", "ms", flooding);
    }

    private async Task RecoverAsync(LocalBroker broker, ConnectionFactory factory)
    {
        Report("rabbit.resubscribe.floor", "s", await RabbitRecovery.ResubscribeBareAsync(broker, factory, RecoveryRounds));
        Report("rabbit.resubscribe", "s", await RabbitRecovery.ResubscribeAsync(broker, factory, RecoveryRounds), 5);
        Report("rabbit.reconnect", "s", await RabbitRecovery.ReconnectAsync(broker, factory, RecoveryRounds), 20);
    }

    /// <summary>Runs a duel with confirms. Its rounds are longer than others, because a window of messages is a notable part of a round.</summary>
    private static Task<PairedRuns> DuelAsync(Func<TimeSpan, Task<double>> floor, Func<TimeSpan, Task<double>> ours) =>
        PairedRuns.RunAsync(floor, ours, s_confirmedTime, ConfirmedRounds);

    private static void Configure(RabbitHost host) => _ = host.OnRequest(static (HandledQuery _) => new HandledReport(0));

    /// <summary>Returns the body of a request of a host, as the broker receives it.</summary>
    private static async Task<byte[]> CaptureRequestAsync(IConnection connection, string name, HostRequests requests)
    {
        await using var channel = await connection.CreateChannelAsync();
        var queue = (await channel.QueueDeclareAsync()).QueueName;
        await channel.QueueBindAsync(queue, "reloaded.requests", name);
        await requests.AskAsync();
        var body = (await GetAsync(channel, queue)).Body.ToArray();
        await channel.QueueDeleteAsync(queue, ifUnused: false, ifEmpty: false);
        return body;
    }

    /// <summary>Checks that the client library and the host publish the same body and properties.</summary>
    private static async Task CompareAsync(IChannel channel, string queue, Func<Task> bare, Func<Task> ours)
    {
        await bare();
        var theirs = BareMessage.Describe(await GetAsync(channel, queue));
        await ours();
        var mine = BareMessage.Describe(await GetAsync(channel, queue));
        if (theirs != mine)
            throw new InvalidOperationException($"The client library published {theirs}; but the host published {mine}.");
    }

    private static async Task<BasicGetResult> GetAsync(IChannel channel, string queue)
    {
        BasicGetResult? got;
        while ((got = await channel.BasicGetAsync(queue, autoAck: true)) is null)
            await Task.Yield();
        return got;
    }

    /// <summary>Returns a run of a publisher for <see cref="PairedRuns"/>: the number of messages per second.</summary>
    private static Func<TimeSpan, Task<double>> RateOf(IConfirmedPublisher publisher) => async time =>
    {
        var watch = System.Diagnostics.Stopwatch.StartNew();
        return await publisher.PublishAsync(time) / watch.Elapsed.TotalSeconds;
    };

    /// <summary>Compares the allocated bytes of messages in short bursts, which cost the same each time, and at full speed, where the client waits for its socket and the array pool runs out of buffers.</summary>
    private async Task AllocationAsync(BarePublish bare, HostPublish ours)
    {
        const int Burst = 16; // the array pool keeps 32 buffers for each processor. An object for each burst has 1.5 B a message, and the runtime allocates some beside.
        await AllocationAsync("rabbit.alloc", 1, 100 * Burst, count => InBurstsAsync(bare.PublishAsync, count), count => InBurstsAsync(ours.PublishAsync, count));
        await AllocationAsync("rabbit.alloc.flood", null, 10_000, bare.PublishAsync, async count =>
        {
            await ours.PublishAsync(count);
            await ours.FlushAsync();
        });

        static async Task InBurstsAsync(Func<int, Task> publish, int count)
        {
            for (var sent = 0; sent < count; sent += Burst)
            {
                await publish(Burst);
                await Task.Delay(1);
            }
        }
    }

    private async Task AllocationAsync(string name, double? reach, int messages, Func<int, Task> bare, Func<int, Task> ours)
    {
        const int Rounds = 7;
        var (floor, above) = (new List<double>(), new List<double>());
        for (var round = 0; round <= Rounds; round++)
        {
            var theirs = await AllocatedAsync(() => bare(messages));
            var mine = await AllocatedAsync(() => ours(messages));
            if (round == 0)
                continue; // warm-up
            floor.Add(theirs / messages);
            above.Add((mine - theirs) / messages);
        }

        Report(name, "B", above, reach);
        Report($"{name}.floor", "B", floor);
    }

    private static async Task<double> AllocatedAsync(Func<Task> work)
    {
        var before = GC.GetTotalAllocatedBytes(precise: true);
        await work();
        return GC.GetTotalAllocatedBytes(precise: true) - before;
    }
}
