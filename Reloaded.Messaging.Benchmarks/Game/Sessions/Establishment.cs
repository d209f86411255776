using System.Diagnostics;
using System.Linq;
using Reloaded.Messaging.Benchmarks.Processes;

namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>Sessions that were established with a server in another process, and their cost for both ends together.</summary>
public sealed class Establishment : IAsyncDisposable
{
    /// <summary>The largest number of sessions beyond the count: those of the warm-up, whose end the server may not have seen yet.</summary>
    public const int Beside = 2 * AtOnce;

    private const int AtOnce = 32; // enough connections at the same time to keep all cores busy; further ones would only wait

    private readonly IAsyncDisposable[] _sessions;

    private Establishment(int sessions) => _sessions = new IAsyncDisposable[sessions];

    public double Seconds { get; private set; }

    /// <summary>The number of cores used, by both processes.</summary>
    public double Cores { get; private set; }

    /// <summary>The bytes of the managed heap per session.</summary>
    public double HeapBytesEach { get; private set; }

    /// <summary>The bytes of resident memory per session, without the socket buffers of the kernel.</summary>
    public double ResidentBytesEach { get; private set; }

    /// <param name="server">The process of the server. It replies to <see cref="OtherProcess.MemoryCommand"/>.</param>
    /// <param name="count">The number of sessions.</param>
    /// <param name="connect">Establishes a session, by its index.</param>
    /// <param name="progress">Called with the number of sessions so far.</param>
    public static async Task<Establishment> MeasureAsync(OtherProcess server, int count, Func<int, Task<IAsyncDisposable>> connect, Action<int>? progress = null)
    {
        for (var i = 0; i < Beside; i++) // so that all code is compiled
            await (await connect(i)).DisposeAsync();

        var all = new Establishment(count);
        var (hereBefore, thereBefore) = await ReadMemoryAsync(server);
        var (watch, processorTime) = (Stopwatch.StartNew(), ProcessorTime(server));
        var (next, established) = (-1, 0);
        await Task.WhenAll(Enumerable.Range(0, AtOnce).Select(_ => Task.Run(ConnectAsync)));
        all.Seconds = watch.Elapsed.TotalSeconds;
        all.Cores = (ProcessorTime(server) - processorTime) / watch.Elapsed;
        var (here, there) = await ReadMemoryAsync(server);
        all.HeapBytesEach = (here.Heap - hereBefore.Heap + there.Heap - thereBefore.Heap) / (double)count;
        all.ResidentBytesEach = (here.Resident - hereBefore.Resident + there.Resident - thereBefore.Resident) / (double)count;
        return all;

        async Task ConnectAsync()
        {
            while (Interlocked.Increment(ref next) is var session && session < count)
            {
                all._sessions[session] = await connect(session);
                progress?.Invoke(Interlocked.Increment(ref established));
            }
        }
    }

    /// <summary>The time that this process and the other process have used of all processors.</summary>
    public static TimeSpan ProcessorTime(OtherProcess server) => Environment.CpuUsage.TotalTime + server.ProcessorTime;

    public async ValueTask DisposeAsync() => await Task.WhenAll(_sessions.Select(static session => session.DisposeAsync().AsTask()));

    private static async Task<(ProcessMemory Here, ProcessMemory There)> ReadMemoryAsync(OtherProcess server) =>
        (ProcessMemory.Read(), await server.GetMemoryAsync());
}
