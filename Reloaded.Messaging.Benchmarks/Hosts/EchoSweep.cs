using System.Diagnostics;
using System.Globalization;
using System.Linq;
using Examples;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Samples;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Echoes over TCP with 1 to 1024 clients in the process of their server: with correlation ids and in order, one at a time and batched. Also measures receiving alone.</summary>
public static class EchoSweep
{
    /// <summary>The argument with which this program prints the sweep.</summary>
    public const string Verb = "echo";

    private const int Batch = 255;
    private const int Block = 256;
    /// <summary>The number of samples of each rate.</summary>
    public const int Rounds = 3;

    private static readonly int[] s_clients = [1, 4, 16, 64, 256, 1024];
    private static readonly TimeSpan s_short = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_long = TimeSpan.FromMilliseconds(400);

    /// <summary>One result of the sweep.</summary>
    /// <param name="Way">How messages are framed, matched and sent.</param>
    /// <param name="Clients">The number of clients at the same time.</param>
    /// <param name="Rate">The number of messages per second, over all clients.</param>
    /// <param name="Bytes">The bytes allocated per message, by clients and server together.</param>
    public sealed record Cell(string Way, int Clients, double Rate, double Bytes);

    public static async Task<List<Cell>> MeasureAsync(Action<string> progress)
    {
        var cells = new List<Cell>();
        foreach (var clients in s_clients)
        {
            cells.Add(await EchoAsync("correlation ids, one at a time", clients, 1));
            cells.Add(await EchoAsync($"correlation ids, {Batch} in flight", clients, Batch));
            cells.Add(await EchoFramedAsync("2-byte length, FIFO, one at a time", clients, 1));
            cells.Add(await EchoFramedAsync($"2-byte length, FIFO, {Batch} in flight", clients, Batch));
            cells.Add(await ReceiveAsync("receive only, 1 message per flush", clients, 1));
            cells.Add(await ReceiveAsync($"receive only, {Block} messages per flush", clients, Block));
            progress($"{clients} clients: {string.Join(", ", cells.TakeLast(6).Select(cell => cell.Rate.ToString("N0", CultureInfo.InvariantCulture)))} messages/s.");
        }

        return cells;
    }

    public static async Task PrintAsync()
    {
        foreach (var way in (await MeasureAsync(Console.Error.WriteLine)).GroupBy(static cell => cell.Way))
        {
            var table = new Table("clients", "messages/s", "ns/message", "B/message");
            foreach (var cell in way)
                table.Add(Number(cell.Clients, "N0"), Number(cell.Rate, "N0"), Number(1e9 / cell.Rate, "N0"), Number(cell.Bytes, "N1"));
            table.Print(way.Key);
        }
    }

    private static string Number(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);

    private static async Task<Cell> EchoAsync(string way, int count, int inFlight)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest(static (in EchoMessage message, Peer _) => message));
        return await MeasureAsync(way, ConnectAsync(server.Endpoint), count, (clients, time) => AskAsync(() => Asking.OursAsync(clients, inFlight, time)));
    }

    private static async Task<Cell> EchoFramedAsync(string way, int count, int inFlight)
    {
        await using var server = new FramedServer(static host => host.OnRequest(static (in EchoMessage message, FramedHost _) => message));
        return await MeasureAsync(way, server.ConnectAsync, count, (clients, time) => AskAsync(() => Asking.OursAsync(clients, inFlight, time)));
    }

    private static async Task<(double Count, double Rate)> AskAsync(Func<Task<double>> askAsync)
    {
        var watch = Stopwatch.StartNew();
        var rate = await askAsync();
        return (rate * watch.Elapsed.TotalSeconds, rate);
    }

    private static Func<Task<MessageClient>> ConnectAsync(MessageEndpoint endpoint) => () => MessageHost.ConnectAsync(endpoint);

    private static async Task<Cell> ReceiveAsync(string way, int count, int block)
    {
        long handled = 0;
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server =>
        {
            server.On((in OneWayMessage _, Peer _) => Interlocked.Increment(ref handled));
            server.OnRequest((in HandledQuery _, Peer _) => new HandledReport(Interlocked.Read(ref handled)));
        });
        return await MeasureAsync(way, ConnectAsync(server.Endpoint), count, async (clients, time) =>
        {
            var before = Interlocked.Read(ref handled);
            var watch = Stopwatch.StartNew();
            var sent = (await Task.WhenAll(clients.Select(client => Task.Run(() => SendAsync(client, block, watch, time))))).Sum();
            if (Interlocked.Read(ref handled) - before != sent)
                throw new InvalidOperationException($"{sent} messages were sent, but {Interlocked.Read(ref handled) - before} were handled.");
            return (sent, sent / watch.Elapsed.TotalSeconds);
        });
    }

    private static async Task<long> SendAsync(MessageClient client, int block, Stopwatch watch, TimeSpan time)
    {
        long sent = 0;
        while (watch.Elapsed < time)
        {
            for (var i = 0; i < block; i++)
                await client.SendAsync(new OneWayMessage(sent++, 2, 3));
            await client.Server.FlushAsync();
        }

        // This request follows all messages on the same connection, so its reply confirms that they were handled.
        await client.RequestAsync<HandledQuery, HandledReport>(default, TimeSpan.FromSeconds(30));
        return sent;
    }

    /// <summary>Measures a short and a longer run. The difference of their bytes contains only messages, not the loops that send them.</summary>
    private static async Task<Cell> MeasureAsync<TClient>(
        string way,
        Func<Task<TClient>> connectAsync,
        int count,
        Func<TClient[], TimeSpan, Task<(double Count, double Rate)>> run)
        where TClient : IAsyncDisposable
    {
        var clients = await Task.WhenAll(Enumerable.Range(0, count).Select(_ => connectAsync()));
        await run(clients, s_short);
        var (fewer, less, _) = await CountAsync(s_short);
        var samples = new List<(double Count, double Bytes, double Rate)>();
        for (var round = 0; round < Rounds; round++)
            samples.Add(await CountAsync(s_long));
        var (more, bytes, rate) = samples.OrderBy(static sample => sample.Rate).ElementAt(Rounds / 2);
        await Task.WhenAll(clients.Select(static client => client.DisposeAsync().AsTask()));
        return new Cell(way, count, rate, more > fewer ? Math.Max(0, (bytes - less) / (more - fewer)) : bytes / more);

        async Task<(double Count, double Bytes, double Rate)> CountAsync(TimeSpan time)
        {
            var before = GC.GetTotalAllocatedBytes(precise: true);
            var (messages, rate) = await run(clients, time);
            return (messages, GC.GetTotalAllocatedBytes(precise: true) - before, rate);
        }
    }
}
