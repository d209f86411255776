using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Examples.Broker;
using RabbitMQ.Client;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Benchmarks.Rabbit;

/// <summary>Group <c>rabbit</c>: publishing with a host, compared with the client library alone, to a broker on this machine.</summary>
/// <remarks>Every message goes into a queue that keeps the last thousand messages, so that the broker does its full work in each case.</remarks>
public sealed class RabbitFigures(Action<Figure> print) : FigureGroup(print)
{
    private const string Topic = "figures";

    public override string Method => "Publishing is compared with RabbitMQ.Client, to a broker on the same machine that keeps the last thousand messages. Nobody receives the messages. " + PairedRuns.Method;

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
        await using var host = await RabbitHost.ConnectAsync(factory, Configure);
        await using var batching = await RabbitHost.ConnectAsync(factory, Configure, new RabbitOptions { BatchDelay = TimeSpan.FromMilliseconds(2) });
        await using var connection = await factory.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        await channel.QueueDeclareAsync(Topic, durable: false, exclusive: true, autoDelete: true, new Dictionary<string, object?> { ["x-max-length"] = 1000 });
        await channel.QueueBindAsync(Topic, "reloaded.at-most-once", Topic);

        using var packed = new MessageWriter().Pack(new OneWayMessage(1, 2, 3));
        var bare = new BarePublish(channel, "reloaded.at-most-once", Topic, packed.Span.ToArray());
        var (ours, batched) = (new HostPublish(host, Topic), new HostPublish(batching, Topic));
        await CompareAsync(channel, bare, ours);

        var single = await RunDuelAsync(bare.RunAsync, ours.RunAsync);
        ReportPaired("rabbit.publish", single, 0.9);
        var together = await RunDuelAsync(bare.RunAsync, batched.RunAsync);
        ReportPaired("rabbit.batch", together, 5);
        await AllocationAsync(bare, ours);
    }

    private static void Configure(RabbitHost host) => host.OnRequest(static (HandledQuery _) => new HandledReport(0));

    /// <summary>Checks that the host and the client library publish the same bytes.</summary>
    private static async Task CompareAsync(IChannel channel, BarePublish bare, HostPublish ours)
    {
        var bodies = new List<string>();
        foreach (var publish in (Func<int, Task>[])[bare.PublishAsync, ours.PublishAsync])
        {
            await publish(1);
            BasicGetResult? got;
            while ((got = await channel.BasicGetAsync(Topic, autoAck: true)) is null)
                await Task.Yield();
            bodies.Add(Convert.ToHexString(got.Body.Span));
        }

        if (bodies[0] != bodies[1])
            throw new InvalidOperationException($"The client library published {bodies[0]}, but the host published {bodies[1]}.");
    }

    private async Task AllocationAsync(BarePublish bare, HostPublish ours)
    {
        const int Rounds = 7;
        const int Messages = 10_000;
        var (floor, above) = (new List<double>(), new List<double>());
        for (var round = 0; round <= Rounds; round++)
        {
            var theirs = await AllocatedAsync(() => bare.PublishAsync(Messages));
            var mine = await AllocatedAsync(async () =>
            {
                await ours.PublishAsync(Messages);
                await ours.FlushAsync();
            });
            if (round == 0)
                continue; // warm-up
            floor.Add(theirs / Messages);
            above.Add((mine - theirs) / Messages);
        }

        Report("rabbit.alloc", "B", above, 32);
        Report("rabbit.alloc.floor", "B", floor);
    }

    private static async Task<double> AllocatedAsync(Func<Task> work)
    {
        var before = GC.GetTotalAllocatedBytes(precise: true);
        await work();
        return GC.GetTotalAllocatedBytes(precise: true) - before;
    }
}
