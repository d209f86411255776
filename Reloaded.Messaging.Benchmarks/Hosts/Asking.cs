using System.Diagnostics;
using System.Linq;
using System.Net.Sockets;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Samples;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Clients that send requests as fast as possible for a given time. Each method returns the number of replies per second.</summary>
public static class Asking
{
    private const int AllocationRounds = 5;

    private static readonly TimeSpan s_short = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_long = TimeSpan.FromMilliseconds(500);

    /// <summary>Uses the library: a number of loops per client, each of which awaits the reply before it sends the next request.</summary>
    public static Task<double> OursAsync(MessageClient[] clients, int inFlight, TimeSpan time) =>
        AskAsync(clients.Select(static Func<EchoMessage, ValueTask<EchoMessage>> (client) => message => client.RequestAsync<EchoMessage, EchoMessage>(message)), inFlight, time);

    /// <summary>Uses the sample host for programs with another framing, in the same loops.</summary>
    public static Task<double> OursAsync(FramedHost[] clients, int inFlight, TimeSpan time) =>
        AskAsync(clients.Select(static Func<EchoMessage, ValueTask<EchoMessage>> (client) => message => client.RequestAsync<EchoMessage, EchoMessage>(message, s_timeout)), inFlight, time);

    private static async Task<double> AskAsync(IEnumerable<Func<EchoMessage, ValueTask<EchoMessage>>> clients, int inFlight, TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        var counts = await Task.WhenAll(clients.SelectMany(askAsync => Enumerable.Range(0, inFlight).Select(_ => Task.Run(() => LoopAsync(askAsync, watch, time)))));
        return counts.Sum() / watch.Elapsed.TotalSeconds;
    }

    /// <summary>Returns the bytes allocated per request: in each round, the difference of a long and a short run. It contains only requests, not the loops that send them.</summary>
    /// <param name="clients">The clients.</param>
    /// <param name="inFlight">The number of requests in flight, for each client.</param>
    /// <param name="elsewhereAsync">Returns the bytes that another process has allocated; <c>null</c> if server and clients are in this process.</param>
    public static Task<List<double>> AllocatedAsync(MessageClient[] clients, int inFlight, Func<Task<long>>? elsewhereAsync = null) =>
        AllocatedAsync(time => OursAsync(clients, inFlight, time), elsewhereAsync);

    /// <param name="askAsync">Sends requests for a time, and returns the number of replies per second.</param>
    /// <inheritdoc cref="AllocatedAsync(MessageClient[], int, Func{Task{long}}?)"/>
    public static async Task<List<double>> AllocatedAsync(Func<TimeSpan, Task<double>> askAsync, Func<Task<long>>? elsewhereAsync = null)
    {
        await askAsync(s_long); // warm-up
        var rounds = new List<double>();
        for (var round = 0; round < AllocationRounds; round++)
        {
            var (shortCount, shortBytes) = await RunAsync(s_short);
            var (count, bytes) = await RunAsync(s_long);
            rounds.Add((bytes - shortBytes) / (count - shortCount));
        }

        return rounds;

        async Task<(double Count, double Bytes)> RunAsync(TimeSpan time)
        {
            var there = elsewhereAsync is null ? 0 : await elsewhereAsync();
            var here = GC.GetTotalAllocatedBytes(precise: true);
            var watch = Stopwatch.StartNew();
            var rate = await askAsync(time);
            var count = rate * watch.Elapsed.TotalSeconds;
            here = GC.GetTotalAllocatedBytes(precise: true) - here;
            there = elsewhereAsync is null ? 0 : await elsewhereAsync() - there;
            return (count, here + there);
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

    private static async Task<long> LoopAsync(Func<EchoMessage, ValueTask<EchoMessage>> askAsync, Stopwatch watch, TimeSpan time)
    {
        long count = 0;
        while (watch.Elapsed < time)
        {
            var echo = await askAsync(new EchoMessage(count, 2, 3));
            if (echo.A != count)
                throw new InvalidOperationException($"The reply belongs to another request: it has the number {echo.A}, and the request has the number {count}.");
            count++;
        }

        return count;
    }
}
