using System.Diagnostics;
using System.IO;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Benchmarks.Processes;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.SharedMemory;

/// <summary>Group <c>shm</c>: hosts of two processes over shared memory, against bare rings and against a Unix socket.</summary>
public sealed class ShmFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int Rounds = 11;
    private const int Requests = 20_000;
    private static readonly TimeSpan s_idle = TimeSpan.FromSeconds(3);

    public override IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>
    {
        ["shm.oneway.rate"] = "Both processors are busy during the whole measurement.",
    };

    public override string Method => "Two processes. " + FreshPairs.Method + " Processor time is that of both processes, for each message. `pingpong` and `oneway` are compared with two bare rings in shared memory, `vs.unix` with the same host over a Unix socket. " + PairedRuns.Method;

    public override bool IsOfTwoProcesses => true;

    public override void Measure() => MeasureAsync().GetAwaiter().GetResult();

    private async Task MeasureAsync()
    {
        var name = $"figures-{Environment.ProcessId}";
        try
        {
            using var other = await ShmProcess.StartAsync(name);
            OtherProcessorTime = () => other.ProcessorTime;
            using var bare = new BarePair(ShmProcess.BarePath(name));
            await using var shared = await NoteClient.ConnectAsync(ShmProcess.Shared(name));
            await using var unix = await NoteClient.ConnectAsync(ShmProcess.Unix(name));

            var pingPong = await RunDuelAsync(time => Bare(other, () => bare.PingPongAsync(time)), shared.PingPongAsync);
            ReportPaired("shm.pingpong", pingPong, 0.4);

            await using (var inline = await NoteClient.ConnectAsync(ShmProcess.Shared(name), new MessageHostOptions { AllowSynchronousContinuations = true }))
                await AskAsync(inline, "shm.request", 1.5);
            await AskAsync(shared, "shm.request.pool", null);

            var oneWay = await RunDuelAsync(time => Bare(other, () => bare.OneWayAsync(time)), shared.OneWayAsync);
            Report("shm.oneway.ratio", "ratio", oneWay.Ratios, 0.15, isAtLeast: true);
            Report("shm.oneway.floor.rate", "messages/s", oneWay.Floor);
            Report("shm.oneway.rate", "messages/s", oneWay.Ours, 20e6, isAtLeast: true);

            var versus = await RunDuelAsync(unix.PingPongAsync, shared.PingPongAsync);
            Report("shm.vs.unix", "ratio", versus.Ratios, 15, isAtLeast: true);
            Report("shm.vs.unix.rate", "messages/s", versus.Floor);

            if (!OnlyAllocations)
                await IdleAsync(other);
        }
        finally
        {
            File.Delete(ShmProcess.BarePath(name));
        }
    }

    private static Task<double> Bare(ShmProcess other, Func<Task<double>> measure)
    {
        other.ServeBare();
        return measure();
    }

    /// <summary>Measures awaited requests, one after the other. With <c>pool</c>, each continuation runs on the thread pool, as is the default of a host.</summary>
    private async Task AskAsync(NoteClient client, string name, double? goal)
    {
        List<double> medians = [], high = [], bytes = [];
        await client.AskAsync(Requests);
        for (var round = 0; round < (OnlyAllocations ? 3 : Rounds); round++)
        {
            var (times, allocated) = await client.AskAsync(Requests);
            medians.Add(times[times.Count / 2]);
            high.Add(times[times.Count * 99 / 100]);
            bytes.Add(allocated);
        }

        Report($"{name}.us", "us", medians, goal);
        Report($"{name}.p99.us", "us", high);
        Report($"{name}.alloc", "B", bytes, 1);
    }

    /// <summary>What both processes use of one processor while no message travels.</summary>
    private async Task IdleAsync(ShmProcess other)
    {
        using var own = Process.GetCurrentProcess();
        List<double> shares = [];
        for (var round = 0; round < 3; round++)
        {
            var before = own.TotalProcessorTime + other.ProcessorTime;
            await Task.Delay(s_idle);
            own.Refresh();
            shares.Add(100 * (own.TotalProcessorTime + other.ProcessorTime - before) / s_idle);
        }

        Report("shm.idle.cpu", "%", shares, 1);
    }
}
