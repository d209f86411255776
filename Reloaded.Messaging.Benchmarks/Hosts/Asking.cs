using System;
using System.Diagnostics;
using System.Linq;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Clients that ask as much as they may for a while. Each returns what came back a second.</summary>
public static class Asking
{
    /// <summary>Ours: so many loops a client, each of which awaits its reply before it asks again.</summary>
    public static async Task<double> OursAsync(MessageClient[] clients, int inFlight, TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        var counts = await Task.WhenAll(clients.SelectMany(client => Enumerable.Range(0, inFlight).Select(_ => Task.Run(() => LoopAsync(client, watch, time)))));
        return counts.Sum() / watch.Elapsed.TotalSeconds;
    }

    /// <summary>Bytes a request, of both hosts: a short run and a longer one, and what they differ by. Timers, pings and the runtime allocate a little beside.</summary>
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

    /// <summary>The same traffic over bare pipelines.</summary>
    public static async Task<double> BareAsync(Socket[] sockets, int inFlight, TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        var counts = await Task.WhenAll(sockets.Select(socket => Task.Run(() => BareEcho.AskAsync(socket, inFlight, () => watch.Elapsed < time))));
        return counts.Sum() / watch.Elapsed.TotalSeconds;
    }

    /// <summary>One at a time over a bare socket.</summary>
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
                throw new InvalidOperationException($"Another request's reply came: {echo.A} where {count} was asked for.");
            count++;
        }

        return count;
    }
}
