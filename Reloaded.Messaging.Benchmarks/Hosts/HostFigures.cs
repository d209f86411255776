using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Threading.Tasks;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Group <c>hosts</c>: echoes, one-way messages, flushes and broadcasts, compared with plain sockets and pipelines.</summary>
public sealed class HostFigures(Action<Figure> print) : FigureGroup(print)
{
    public override void Measure() => MeasureAsync().GetAwaiter().GetResult();

    private async Task MeasureAsync()
    {
        var folder = Directory.CreateTempSubdirectory("rm-echo").FullName;
        try
        {
            using (var other = await EchoProcess.StartAsync(folder))
            {
                Console.Error.WriteLine(string.Create(CultureInfo.InvariantCulture, $"The clients run in process {Environment.ProcessId}, the servers in process {other.Id}."));
                await PipelinedAsync("tcp", other.Endpoints);
                await PipelinedAsync("unix", other.Endpoints);
                await PingPongAsync("tcp", other.Endpoints);
                await PingPongAsync("unix", other.Endpoints);
                await PipeAsync(other.Endpoints);
                await OneWayAsync(other.Endpoints);
                Report("connect.ms", "ms", await ConnectFigure.ConnectAsync(other.Id));
            }

            await using var own = await EchoServer.StartAsync(folder);
            await WindowAsync(own.Endpoints);
            await TlsAsync(own);
            Report("reconnect.ms", "ms", await ConnectFigure.ReconnectAsync());
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }

        Flush();
        var (each, all) = await BroadcastFigure.MeasureAsync();
        Report("broadcast.ratio", "ratio", [.. all.Zip(each, static (ours, floor) => ours / floor)], 0.1);
        Report("broadcast.floor.ns", "ns", each);
        Report("broadcast.ns", "ns", all);
    }

    private async Task PipelinedAsync(string transport, Dictionary<string, MessageEndpoint> endpoints)
    {
        const int Connections = 2;
        const int InFlight = 64;
        var clients = await ConnectAsync(endpoints[transport], Connections);
        var sockets = await ConnectBareAsync(endpoints[$"{transport}.pipelines"], Connections);
        var duel = await Duel.RunAsync(time => Asking.BareAsync(sockets, InFlight, time), time => Asking.OursAsync(clients, InFlight, time));
        ReportDuel($"echo.{transport}.pipelined", duel, 0.5);
        await ReportAllocationAsync($"echo.{transport}.pipelined.alloc", clients, InFlight, bothProcesses: true);
        await CloseAsync(clients, sockets);
    }

    private async Task PingPongAsync(string transport, Dictionary<string, MessageEndpoint> endpoints)
    {
        var clients = await ConnectAsync(endpoints[transport], 1);
        var sockets = await ConnectBareAsync(endpoints[$"{transport}.pingpong"], 1);
        var duel = await Duel.RunAsync(time => Asking.BarePingPongAsync(sockets[0], time), time => Asking.OursAsync(clients, 1, time));
        ReportDuel($"echo.{transport}.pingpong", duel, 0.85);
        await ReportAllocationAsync($"echo.{transport}.pingpong.alloc", clients, 1, bothProcesses: true);
        await CloseAsync(clients, sockets);
    }

    private async Task PipeAsync(Dictionary<string, MessageEndpoint> endpoints)
    {
        var clients = await ConnectAsync(endpoints["pipe"], 1);
        await using var pipe = await BarePipe.ConnectAsync(endpoints["pipe.pingpong"]);
        var duel = await Duel.RunAsync(time => BarePipe.AskAsync(pipe, time), time => Asking.OursAsync(clients, 1, time));
        ReportDuel("echo.pipe.pingpong", duel, 0.85);
        await CloseAsync(clients, []);
    }

    /// <summary>Compares the library over TLS with the library without TLS.</summary>
    private async Task TlsAsync(EchoServer own)
    {
        var plain = await ConnectAsync(own.Endpoints["tcp"], 1);
        var encrypted = new[] { await MessageHost.ConnectAsync(MessageEndpoint.Tcp("127.0.0.1", own.Endpoints["tls"].Port, own.Pinning)) };
        var duel = await Duel.RunAsync(time => Asking.OursAsync(plain, 64, time), time => Asking.OursAsync(encrypted, 64, time));
        Report("tls.echo.ratio", "ratio", duel.Ratios);
        Report("tls.echo.rate", "messages/s", duel.Ours);
        await CloseAsync([.. plain, .. encrypted], []);
    }

    private async Task WindowAsync(Dictionary<string, MessageEndpoint> endpoints)
    {
        const int Connections = 64;
        const int InFlight = 255;
        var clients = await ConnectAsync(endpoints["tcp"], Connections);
        var sockets = await ConnectBareAsync(endpoints["tcp.pipelines"], Connections);
        var duel = await Duel.RunAsync(time => Asking.BareAsync(sockets, InFlight, time), time => Asking.OursAsync(clients, InFlight, time));
        ReportDuel("echo.tcp.window", duel, 0.1);
        await ReportAllocationAsync("echo.tcp.window.alloc", clients, InFlight, bothProcesses: false);
        await CloseAsync(clients, sockets);
    }

    private async Task OneWayAsync(Dictionary<string, MessageEndpoint> endpoints)
    {
        var clients = await ConnectAsync(endpoints["unix"], 1);
        var sockets = await ConnectBareAsync(endpoints["unix.sink"], 1);
        var duel = await Duel.RunAsync(time => OneWay.BareAsync(sockets[0], time), time => OneWay.OursAsync(clients[0], time));
        ReportDuel("oneway.unix", duel, 0.15);
        await CloseAsync(clients, sockets);
    }

    private void Flush()
    {
        foreach (var (delay, packs, name) in ((int, bool, string)[])[(0, false, "flush.0us"), (50, false, "flush.50us"), (0, true, "flush.packet.0us"), (50, true, "flush.packet.50us")])
        {
            var (outside, inside) = (FlushFigure.Measure(delay, outsideOfLock: true, packs), FlushFigure.Measure(delay, outsideOfLock: false, packs));
            var ratios = outside.Zip(inside, static (ours, floor) => ours.Delivered / floor.Delivered).ToList();
            Report($"{name}.delivered.ratio", "ratio", ratios, delay > 0 ? 10 : null, isAtLeast: true);
            Report($"{name}.rate", "messages/s", outside.ConvertAll(static one => one.Delivered));
            Report($"{name}.p99.ns", "ns", outside.ConvertAll(static one => one.P99));
            Report($"{name}.inside.p99.ns", "ns", inside.ConvertAll(static one => one.P99));
        }
    }

    private async Task ReportAllocationAsync(string name, MessageClient[] clients, int inFlight, bool bothProcesses)
    {
        // A short and a longer run. The difference of their bytes contains only requests, not the loops that send them.
        await Asking.OursAsync(clients, inFlight, TimeSpan.FromMilliseconds(400)); // warm-up
        var (shortCount, shortBytes) = await RunAsync(TimeSpan.FromMilliseconds(200));
        var (count, bytes) = await RunAsync(TimeSpan.FromMilliseconds(1000));
        Report(name, "B", [Math.Max(0, bytes - shortBytes) / (count - shortCount)], 1);

        async Task<(double Count, double Bytes)> RunAsync(TimeSpan time)
        {
            var there = bothProcesses ? (await clients[0].RequestAsync<AllocatedQuery, AllocatedReport>(default)).Bytes : 0;
            var here = GC.GetTotalAllocatedBytes(precise: true);
            var rate = await Asking.OursAsync(clients, inFlight, time);
            here = GC.GetTotalAllocatedBytes(precise: true) - here;
            there = bothProcesses ? (await clients[0].RequestAsync<AllocatedQuery, AllocatedReport>(default)).Bytes - there : 0;
            return (rate * time.TotalSeconds, here + there);
        }
    }

    private void ReportDuel(string name, Duel duel, double reach)
    {
        Report($"{name}.ratio", "ratio", duel.Ratios, reach, isAtLeast: true);
        Report($"{name}.floor.rate", "messages/s", duel.Floor);
        Report($"{name}.rate", "messages/s", duel.Ours);
    }

    private static Task<MessageClient[]> ConnectAsync(MessageEndpoint endpoint, int count) =>
        Task.WhenAll(Enumerable.Range(0, count).Select(_ => MessageHost.ConnectAsync(endpoint)));

    private static Task<Socket[]> ConnectBareAsync(MessageEndpoint endpoint, int count) =>
        Task.WhenAll(Enumerable.Range(0, count).Select(_ => BareSockets.ConnectAsync(endpoint)));

    private static async Task CloseAsync(MessageClient[] clients, Socket[] sockets)
    {
        foreach (var client in clients)
            await client.DisposeAsync();
        foreach (var socket in sockets)
            socket.Dispose();
    }
}
