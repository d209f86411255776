using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Hosts.Peers;
using Reloaded.Messaging.Benchmarks.Processes;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Group <c>hosts</c>: echoes, one-way messages, flushes and broadcasts, compared with plain sockets and pipelines.</summary>
public sealed class HostFigures(Action<Figure> print) : FigureGroup(print)
{
    private const string Waking = "Most of the time, a thread of the other process is being woken. The ranges of both sides overlap.";

    public override IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>
    {
        ["oneway.unix.ratio"] = "Each event is packed into a buffer of its own and then copied into the outbox, because its serializer is code of the program and runs outside of the lock. The floor writes its bytes under the lock.",
        ["echo.tcp.pingpong.ratio"] = Waking,
        ["echo.unix.pingpong.ratio"] = Waking,
        ["echo.pipe.pingpong.ratio"] = Waking,
        ["echo.tcp.window.ratio"] = "A request costs 0.2 µs of processor time more than in the floor, spread over many methods.",
        ["broadcast.ratio"] = "Each peer has a buffer of its own, into which the message is copied under the lock of that buffer.",
    };

    public override string Method => string.Create(CultureInfo.InvariantCulture, $"Echoes are compared with plain sockets and pipelines that carry the same bytes, without requests and handlers. `window` is compared with requests by hand (`Hosts/Peers/SocketEcho.cs`), which have ids, slots and completions, and `oneway` with frames by hand (`Hosts/BareOneWay.cs`), which have a lock and a handler; `tls.echo` is compared with the library without TLS. `service` calls a method that returns a `ValueTask`, compared with requests of the same message to an asynchronous handler; `service.task` calls one that returns a `Task`, which each side creates. {PairedRuns.Method} {FreshPairs.Method} Processor time is that of all processes, for each message. The `window` row has server and clients in one process, the others in two. `flush`: {FlushFigure.Rounds} rounds; the floor is a batch whose mutex is held during the write, as in the change that the figure repeats; `floor.released` is the same batch with the mutex released. `broadcast`: {BroadcastFigure.Rounds} rounds of ten messages to {BroadcastFigure.Few} peers, compared with a send to each peer; `broadcast.{BroadcastFigure.Many}` compares the time for each of {BroadcastFigure.Many} peers with that for each of {BroadcastFigure.Few}. `reconnect` uses delays of 5 ms instead of the default (100 ms to 5 s), so that the rest of the time shows.");

    public override bool IsOfTwoProcesses => true;

    public override void Measure() => MeasureAsync().GetAwaiter().GetResult();

    private async Task MeasureAsync()
    {
        var folder = Directory.CreateTempSubdirectory("rm-echo").FullName;
        try
        {
            using (var other = await EchoProcess.StartAsync(folder))
            {
                Console.Error.WriteLine(string.Create(CultureInfo.InvariantCulture, $"The clients run in process {Environment.ProcessId}, the servers in process {other.Id}."));
                OtherProcessorTime = () => other.ProcessorTime;
                await PipelinedAsync("tcp", other.Endpoints);
                await PipelinedAsync("unix", other.Endpoints);
                await PingPongAsync("tcp", other.Endpoints);
                await PingPongAsync("unix", other.Endpoints);
                await PipeAsync(other.Endpoints);
                await OneWayAsync(other.Endpoints);
                if (!OnlyAllocations)
                    Report("connect.ms", "ms", await ConnectFigure.ConnectAsync(other.Id));
                OtherProcessorTime = null;
            }

            await using var own = await EchoServer.StartAsync(folder);
            await WindowAsync(own.Endpoints);
            await TlsAsync(own);
            await ServiceAsync(folder);
            if (!OnlyAllocations)
                Report("reconnect.ms", "ms", await ConnectFigure.ReconnectAsync());
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }

        if (OnlyAllocations)
            return;
        Flush();
        var (each, all) = await BroadcastFigure.MeasureAsync(BroadcastFigure.Few);
        Report("broadcast.ratio", "ratio", [.. all.Zip(each, static (ours, floor) => ours / floor)], 0.05);
        Report("broadcast.floor.ns", "ns", each);
        Report("broadcast.ns", "ns", all);
        var many = (await BroadcastFigure.MeasureAsync(BroadcastFigure.Many)).All;
        Report($"broadcast.{BroadcastFigure.Many}.ns", "ns", many);
        Report($"broadcast.{BroadcastFigure.Many}.ratio", "ratio", [.. many.Zip(all, static (one, other) => one / other)], 2);
    }

    private async Task PipelinedAsync(string transport, Dictionary<string, MessageEndpoint> endpoints)
    {
        const int Connections = 2;
        const int InFlight = 64;
        var clients = await ConnectAsync(endpoints[transport], Connections);
        var sockets = await ConnectBareAsync(endpoints[$"{transport}.pipelines"], Connections);
        var duel = await RunDuelAsync(time => Asking.BareAsync(sockets, InFlight, time), time => Asking.OursAsync(clients, InFlight, time));
        ReportPaired($"echo.{transport}.pipelined", duel, 0.5);
        if (transport == "unix")
            await KestrelAsync(endpoints, clients, InFlight);
        await ReportAllocationAsync($"echo.{transport}.pipelined.alloc", clients, InFlight, bothProcesses: true);
        await CloseAsync(clients, sockets);
    }

    /// <summary>Kestrel with the same number of connections and requests in flight, in the same other process.</summary>
    private async Task KestrelAsync(Dictionary<string, MessageEndpoint> endpoints, MessageClient[] clients, int inFlight)
    {
        var http = Array.ConvertAll(clients, _ => KestrelEcho.Connect(endpoints["unix.http2"].Address));
        var duel = await RunDuelAsync(time => KestrelEcho.AskAsync(http, inFlight, time), time => Asking.OursAsync(clients, inFlight, time));
        ReportPaired("echo.unix.http2", duel, null);
        AddPeer("echoes over a Unix socket, two connections with 64 requests in flight each", "Kestrel and HttpClient, HTTP/2", duel);
        Array.ForEach(http, static client => client.Dispose());
    }

    private async Task PingPongAsync(string transport, Dictionary<string, MessageEndpoint> endpoints)
    {
        var clients = await ConnectAsync(endpoints[transport], 1);
        var sockets = await ConnectBareAsync(endpoints[$"{transport}.pingpong"], 1);
        var duel = await RunDuelAsync(time => Asking.BarePingPongAsync(sockets[0], time), time => Asking.OursAsync(clients, 1, time));
        ReportPaired($"echo.{transport}.pingpong", duel, 0.97);
        await ReportAllocationAsync($"echo.{transport}.pingpong.alloc", clients, 1, bothProcesses: true);
        await CloseAsync(clients, sockets);
    }

    private async Task PipeAsync(Dictionary<string, MessageEndpoint> endpoints)
    {
        var clients = await ConnectAsync(endpoints["pipe"], 1);
        await using var pipe = await BarePipe.ConnectAsync(endpoints["pipe.pingpong"]);
        var duel = await RunDuelAsync(time => BarePipe.AskAsync(pipe, time), time => Asking.OursAsync(clients, 1, time));
        ReportPaired("echo.pipe.pingpong", duel, 0.97);

        await using var jsonPipe = await BarePipe.ConnectAsync(endpoints["pipe.json"]);
        var (reader, writer) = JsonLines.Open(jsonPipe);
        var json = await RunDuelAsync(time => JsonLines.AskAsync(reader, writer, time), time => Asking.OursAsync(clients, 1, time));
        ReportPaired("echo.pipe.json", json, null);
        AddPeer("echoes over a named pipe, one at a time", "NamedPipeServerStream with JSON lines", json);
        await CloseAsync(clients, []);
    }

    /// <summary>Compares the library over TLS with the library without TLS.</summary>
    private async Task TlsAsync(EchoServer own)
    {
        var plain = await ConnectAsync(own.Endpoints["tcp"], 1);
        var encrypted = new[] { await MessageHost.ConnectAsync(MessageEndpoint.Tcp("127.0.0.1", own.Endpoints["tls"].Port, own.Pinning)) };
        var duel = await RunDuelAsync(time => Asking.OursAsync(plain, 64, time), time => Asking.OursAsync(encrypted, 64, time));
        Report("tls.echo.ratio", "ratio", duel.Ratios);
        Report("tls.echo.rate", "messages/s", duel.Ours);
        await CloseAsync([.. plain, .. encrypted], []);
    }

    /// <summary>Compares calls of a service with requests of the same message.</summary>
    private async Task ServiceAsync(string folder)
    {
        await using var figure = await ServiceFigure.StartAsync(folder);
        ReportPaired("service.unix", await RunDuelAsync(figure.RequestAsync, figure.CallAsync), 0.95);
        Report("service.unix.floor.alloc", Figure.Bytes, await Asking.AllocatedAsync(figure.RequestAsync));
        Report("service.unix.alloc", Figure.Bytes, await Asking.AllocatedAsync(figure.CallAsync));
        ReportPaired("service.task.unix", await RunDuelAsync(figure.RequestAsync, figure.CallTaskAsync), null);
        Report("service.task.unix.alloc", Figure.Bytes, await Asking.AllocatedAsync(figure.CallTaskAsync));
    }

    private async Task WindowAsync(Dictionary<string, MessageEndpoint> endpoints)
    {
        const int Connections = 64;
        const int InFlight = 255;
        const int MessageSize = 24; // of EchoMessage
        var clients = await ConnectAsync(endpoints["tcp"], Connections);
        var bare = await Task.WhenAll(Enumerable.Range(0, Connections).Select(_ => SocketEcho.ConnectAsync(endpoints["tcp.requests"].ToString())));
        var duel = await RunDuelAsync(time => EchoClient.AskAsync(bare, MessageSize, InFlight, time), time => Asking.OursAsync(clients, InFlight, time));
        ReportPaired("echo.tcp.window", duel, 0.9);
        await ReportAllocationAsync("echo.tcp.window.alloc", clients, InFlight, bothProcesses: false);
        foreach (var client in bare)
            await client.DisposeAsync();
        await CloseAsync(clients, []);
    }

    private async Task OneWayAsync(Dictionary<string, MessageEndpoint> endpoints)
    {
        var clients = await ConnectAsync(endpoints["unix"], 1);
        var sockets = await ConnectBareAsync(endpoints["unix.oneway"], 1);
        var bare = new BareOneWay(sockets[0]);
        var duel = await RunDuelAsync(bare.SendAsync, time => OneWay.OursAsync(clients[0], time));
        ReportPaired("oneway.unix", duel, 0.7);
        await CloseAsync(clients, sockets);
    }

    private void Flush()
    {
        foreach (var (delay, packs, name) in ((int, bool, string)[])[(0, false, "flush.0us"), (50, false, "flush.50us"), (0, true, "flush.packet.0us"), (50, true, "flush.packet.50us")])
        {
            var figure = FlushFigure.Measure(delay, packs);
            Report($"{name}.delivered.ratio", "ratio", FlushFigure.RatiosOf(figure.Ours, figure.Held), delay > 0 ? 1.5 : null, isAtLeast: true);
            Report($"{name}.floor.released.ratio", "ratio", FlushFigure.RatiosOf(figure.Released, figure.Held));
            Report($"{name}.floor.rate", "messages/s", figure.Held.ConvertAll(static one => one.Delivered));
            Report($"{name}.rate", "messages/s", figure.Ours.ConvertAll(static one => one.Delivered));
            Report($"{name}.floor.p99.ns", "ns", figure.Held.ConvertAll(static one => one.P99));
            Report($"{name}.p99.ns", "ns", figure.Ours.ConvertAll(static one => one.P99));
        }
    }

    private async Task ReportAllocationAsync(string name, MessageClient[] clients, int inFlight, bool bothProcesses) =>
        Report(
            name,
            Figure.Bytes,
            await Asking.AllocatedAsync(
                clients,
                inFlight,
                bothProcesses ? async () => (await clients[0].RequestAsync<AllocatedQuery, AllocatedReport>(default)).Bytes : null),
            1);

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
