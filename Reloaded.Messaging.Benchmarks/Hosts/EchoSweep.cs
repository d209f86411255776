using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Examples;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Echoes over TCP with 1 to 1024 clients in one process with their server: by correlation ids and by order, one at a time and batched; and receiving alone.</summary>
public static class EchoSweep
{
    /// <summary>The program's argument that prints it.</summary>
    public const string Verb = "echo";

    private const int Batch = 255;
    private const int Block = 256;
    private static readonly int[] s_clients = [1, 4, 16, 64, 256, 1024];
    private static readonly TimeSpan s_short = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_long = TimeSpan.FromMilliseconds(400);

    /// <summary>What one cell of the sweep came to.</summary>
    /// <param name="Way">How messages are framed, matched and sent.</param>
    /// <param name="Clients">How many at once.</param>
    /// <param name="Rate">Messages a second, all clients together.</param>
    /// <param name="Bytes">Allocated a message, both sides together.</param>
    public sealed record Cell(string Way, int Clients, double Rate, double Bytes);

    public static async Task<List<Cell>> MeasureAsync(Action<string> progress)
    {
        var cells = new List<Cell>();
        foreach (var clients in s_clients)
        {
            cells.Add(await EchoAsync("correlation ids, one at a time", clients, 1, LengthPrefix.UVarint));
            cells.Add(await EchoAsync($"correlation ids, {Batch} in flight", clients, Batch, LengthPrefix.UVarint));
            cells.Add(await EchoAsync("2-byte length, FIFO, one at a time", clients, 1, LengthPrefix.UInt16LittleEndian));
            cells.Add(await EchoAsync($"2-byte length, FIFO, {Batch} in flight", clients, Batch, LengthPrefix.UInt16LittleEndian));
            cells.Add(await ReceiveAsync("receive only, each flushed", clients, 1));
            cells.Add(await ReceiveAsync($"receive only, {Block} a flush", clients, Block));
            progress($"{clients} clients: {string.Join(", ", cells.TakeLast(6).Select(cell => cell.Rate.ToString("N0", CultureInfo.InvariantCulture)))} messages a second.");
        }

        return cells;
    }

    public static async Task PrintAsync()
    {
        foreach (var way in (await MeasureAsync(Console.Error.WriteLine)).GroupBy(static cell => cell.Way))
        {
            var table = new Table("clients", "messages/s", "ns a message", "B a message");
            foreach (var cell in way)
                table.Add(Number(cell.Clients, "N0"), Number(cell.Rate, "N0"), Number(1e9 / cell.Rate, "N0"), Number(cell.Bytes, "N1"));
            table.Print(way.Key);
        }
    }

    private static string Number(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);

    private static async Task<Cell> EchoAsync(string way, int count, int inFlight, LengthPrefix prefix)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0) with { LengthPrefix = prefix }, server => server.OnRequest(static (in EchoMessage message, Peer _) => message));
        return await MeasureAsync(way, server.Endpoint, count, async (clients, time) =>
        {
            var watch = Stopwatch.StartNew();
            var rate = await Asking.OursAsync(clients, inFlight, time);
            return (rate * watch.Elapsed.TotalSeconds, rate);
        });
    }

    private static async Task<Cell> ReceiveAsync(string way, int count, int block)
    {
        long handled = 0;
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server =>
        {
            server.On((in OneWayMessage _, Peer _) => Interlocked.Increment(ref handled));
            server.OnRequest((in HandledQuery _, Peer _) => new HandledReport(Interlocked.Read(ref handled)));
        });
        return await MeasureAsync(way, server.Endpoint, count, async (clients, time) =>
        {
            var before = Interlocked.Read(ref handled);
            var watch = Stopwatch.StartNew();
            var sent = (await Task.WhenAll(clients.Select(client => Task.Run(() => SendAsync(client, block, watch, time))))).Sum();
            if (Interlocked.Read(ref handled) - before != sent)
                throw new InvalidOperationException($"{sent} messages were sent and {Interlocked.Read(ref handled) - before} handled.");
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

        // Behind all of them in the same connection: when it is answered, they were handled.
        await client.RequestAsync<HandledQuery, HandledReport>(default, TimeSpan.FromSeconds(30));
        return sent;
    }

    /// <summary>A short run and a longer one: what they differ by in bytes is messages alone, without the loops that make them.</summary>
    private static async Task<Cell> MeasureAsync(
        string way,
        MessageEndpoint endpoint,
        int count,
        Func<MessageClient[], TimeSpan, Task<(double Count, double Rate)>> run)
    {
        var clients = await Task.WhenAll(Enumerable.Range(0, count).Select(_ => MessageHost.ConnectAsync(endpoint)));
        await run(clients, s_short);
        var (fewer, less, _) = await CountAsync(s_short);
        var (more, bytes, rate) = await CountAsync(s_long);
        await Task.WhenAll(clients.Select(static client => client.DisposeAsync().AsTask()));
        return new Cell(way, count, rate, Math.Max(0, bytes - less) / Math.Max(1, more - fewer));

        async Task<(double Count, double Bytes, double Rate)> CountAsync(TimeSpan time)
        {
            var before = GC.GetTotalAllocatedBytes(precise: true);
            var (messages, rate) = await run(clients, time);
            return (messages, GC.GetTotalAllocatedBytes(precise: true) - before, rate);
        }
    }
}
