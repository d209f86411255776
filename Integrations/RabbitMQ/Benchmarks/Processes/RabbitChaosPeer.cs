using System;
using System.Diagnostics;
using System.Globalization;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Processes;

/// <summary>A process of <see cref="RabbitChaos"/>, which may be killed at any time. It prints its messages.</summary>
public static class RabbitChaosPeer
{
    public const string Verb = "rabbit-chaos-peer";
    public const string Ready = "ready";
    public const string Publisher = "publisher";
    public const string Consumer = "consumer";
    public const string Relay = "relay";
    public const string Sink = "sink";

    /// <summary>The number of jobs after which a publisher waits for their confirmation.</summary>
    public const int FlushedJobs = 100;

    private const string Jobs = "jobs";
    private const string Results = "results";
    private const int Keys = 40;

    private static readonly SubscriptionOptions s_patient = new() { MaxTries = 1000, RetryDelay = TimeSpan.Zero };

    public static long KeyOf(long job) => job % Keys;

    public static async Task RunAsync(string[] args)
    {
        var (name, first, step, end, pause) = (args[0], Number(args[2]), Number(args[3]), Number(args[4]), Number(args[5]));
        var options = new RabbitOptions
        {
            Name = name,
            Scope = "chaos",
            Endpoints = Array.ConvertAll(args[1].Split(','), static port => new AmqpTcpEndpoint("127.0.0.1", (int)Number(port))),
            QueueReplicas = 3,
            MaxQueueLength = 1_000_000,
        };
        RabbitHost host = null!;
        host = RabbitHost.Start(
            new ConnectionFactory { RequestedHeartbeat = TimeSpan.FromSeconds(5), NetworkRecoveryInterval = TimeSpan.FromSeconds(1) },
            made =>
            {
                host = made;
                if (name.StartsWith(Consumer, StringComparison.Ordinal))
                    made.On((in ChaosJob job, Origin from) => Console.WriteLine(HandledJob.Write(job.Number, from)));
                else if (name.StartsWith(Relay, StringComparison.Ordinal))
                    made.On(async (ChaosJob job, Origin _) => RequireSent(await made.PublishAsync(Results, job, DeliveryKind.AtLeastOnce)));
                else
                    made.On((in ChaosJob job, Origin _) => Console.WriteLine($"result {job.Number} ."));
            },
            options);
        await using var owned = host;
        if (name.StartsWith(Publisher, StringComparison.Ordinal))
        {
            Console.WriteLine(Ready);
            await PublishAsync(host, first == 0 ? name[^1] - '0' : first, step, end, (int)pause);
        }
        else
        {
            await SubscribeAsync(host, name);
            Console.WriteLine(Ready);
        }

        await Console.In.ReadToEndAsync();
    }

    private static Task<Subscription> SubscribeAsync(RabbitHost host, string name)
    {
        if (name.StartsWith(Consumer, StringComparison.Ordinal))
            return host.SubscribeAsync(Jobs, DeliveryKind.AtLeastOnce, "consumers", s_patient with { Partitions = 8 });
        return name.StartsWith(Relay, StringComparison.Ordinal)
            ? host.SubscribeAsync(Jobs, DeliveryKind.AtLeastOnce, "relays", s_patient)
            : host.SubscribeAsync(Results, DeliveryKind.AtLeastOnce, "sink", s_patient);
    }

    private static async Task PublishAsync(RabbitHost host, long job, long step, long end, int pause)
    {
        for (var sent = 1; job < end; job += step, sent++)
        {
            RequireSent(await host.PublishAsync(Jobs, new ChaosJob(job), $"key {KeyOf(job)}"));
            if (sent % FlushedJobs != 0 && job + step < end)
                continue;
            await host.FlushAsync();
            Console.WriteLine(job + step); // the first job that is not confirmed
            await Task.Delay(pause);
        }
    }

    private static void RequireSent(SendStatus status)
    {
        if (status != SendStatus.Sent)
            throw new InvalidOperationException($"A message was not published: {status}.");
    }

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);
}

/// <summary>A job, or its result.</summary>
[Message(126)]
public readonly record struct ChaosJob(long Number);

/// <summary>A job that a consumer handled.</summary>
/// <param name="At">The time, by the clock of all processes of the machine.</param>
/// <param name="Sender">The host that published the job.</param>
/// <param name="Number">The number of the job in its topic.</param>
/// <param name="IsRepeated">Whether the job is marked as repeated.</param>
/// <param name="Job">The job.</param>
public sealed record HandledJob(long At, string Sender, ulong Number, bool IsRepeated, long Job)
{
    private const string End = ".";

    /// <summary>Writes a job as a line.</summary>
    public static string Write(long job, Origin from) => $"{Stopwatch.GetTimestamp()} {from.Sender} {from.Number} {(from.IsRepeated ? 1 : 0)} {job} {End}";

    /// <summary>Reads the words of a line. The line of a killed process may not be whole: then the job counts as not handled, and comes again.</summary>
    public static HandledJob? TryParse(string[] words) => words is [var at, var sender, var number, var isRepeated, var job, End]
        ? new HandledJob(long.Parse(at, CultureInfo.InvariantCulture), sender, ulong.Parse(number, CultureInfo.InvariantCulture), isRepeated == "1", long.Parse(job, CultureInfo.InvariantCulture))
        : null;
}
