using System;
using System.Diagnostics;
using System.Linq;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Clients that send requests as fast as possible for a given time. Each method returns the number of replies per second.</summary>
public static class Asking
{
    /// <summary>Uses the library: a number of loops per client, each of which awaits the reply before it sends the next request.</summary>
    public static async Task<double> OursAsync(MessageClient[] clients, int inFlight, TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        var counts = await Task.WhenAll(clients.SelectMany(client => Enumerable.Range(0, inFlight).Select(_ => Task.Run(() => LoopAsync(client, watch, time)))));
        return counts.Sum() / watch.Elapsed.TotalSeconds;
    }

    /// <summary>Returns the bytes allocated per request by client and server: the difference of a short and a longer run. It includes the few allocations of timers, pings and the runtime.</summary>
    public static async Task<double> AllocatedAsync(MessageClient client, int inFlight, TimeSpan shortTime, TimeSpan time)
    {
        var (shortCount, shortBytes) = await RunAsync(shortTime);
        var (count, bytes) = await RunAsync(time);
        return Math.Max(0, bytes - shortBytes) / (count - shortCount);

        async Task<(double Count, double Bytes)> RunAsync(TimeSpan time)
        {
            var before = GC.GetTotalAllocatedBytes(precise: true);
            var rate = await OursAsync([client], inFlight, time);
            return (rate * time.TotalSeconds, GC.GetTotalAllocatedBytes(precise: true) - before);
        }
    }

    /// <summary>Sends the same traffic over plain pipelines.</summary>
    public static async Task<double> BareAsync(Socket[] sockets, int inFlight, TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        var counts = await Task.WhenAll(sockets.Select(socket => Task.Run(() => BareEcho.AskAsync(socket, inFlight, () => watch.Elapsed < time))));
        return counts.Sum() / watch.Elapsed.TotalSeconds;
    }

    /// <summary>Sends one request at a time over a plain socket.</summary>
    public static async Task<double> BarePingPongAsync(Socket socket, TimeSpan time)
    {
        var buffer = new byte[32];
        var watch = Stopwatch.StartNew();
        long count = 0;
        while (watch.Elapsed < time)
        {
            await socket.SendAsync(buffer);
            for (var left = buffer.Length; left > 0;)
                left -= await socket.ReceiveAsync(buffer.AsMemory(0, left));
            count++;
        }

        return count / watch.Elapsed.TotalSeconds;
    }

    private static async Task<long> LoopAsync(MessageClient client, Stopwatch watch, TimeSpan time)
    {
        long count = 0;
        while (watch.Elapsed < time)
        {
            var echo = await client.RequestAsync<EchoMessage, EchoMessage>(new EchoMessage(count, 2, 3));
            if (echo.A != count)
                throw new InvalidOperationException($"The reply belongs to another request: it has the number {echo.A}, and the request has the number {count}.");
            count++;
        }

        return count;
    }
}
