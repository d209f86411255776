using System.Globalization;
using Reloaded.Messaging.Benchmarks.Processes;

namespace Reloaded.Messaging.Benchmarks.Hosts.Peers;

/// <summary>The resources that a process has used since its start.</summary>
/// <param name="ProcessorTime">The time of all processors.</param>
/// <param name="Bytes">The allocated bytes.</param>
public readonly record struct Usage(TimeSpan ProcessorTime, long Bytes)
{
    public static Usage Read() => new(Environment.CpuUsage.TotalTime, GC.GetTotalAllocatedBytes(precise: true));

    public static Usage operator +(Usage left, Usage right) => new(left.ProcessorTime + right.ProcessorTime, left.Bytes + right.Bytes);

    public static Usage operator -(Usage left, Usage right) => new(left.ProcessorTime - right.ProcessorTime, left.Bytes - right.Bytes);
}

/// <summary>The servers of all <see cref="EchoLibrary"/> values, in another process.</summary>
public sealed class PeerProcess : IDisposable
{
    /// <summary>The argument with which this program runs as these servers.</summary>
    public const string Verb = "peer-servers";

    private const string Collect = "collect";

    private readonly OtherProcess _process;
    private readonly List<string> _addresses = [];

    private PeerProcess(OtherProcess process) => _process = process;

    /// <summary>The addresses of the servers, in the order of <see cref="EchoLibrary.All"/>.</summary>
    public IReadOnlyList<string> Addresses => _addresses;

    public static async Task<PeerProcess> StartAsync(string folder)
    {
        var peers = new PeerProcess(OtherProcess.Start(Verb, folder));
        foreach (var _ in EchoLibrary.All)
            peers._addresses.Add(await peers._process.ReadAsync());
        return peers;
    }

    /// <summary>Runs the servers in the other process.</summary>
    public static async Task RunAsync(string folder)
    {
        var servers = new List<object>();
        foreach (var library in EchoLibrary.All)
        {
            var (server, address) = await library.ListenAsync(folder);
            servers.Add(server);
            Console.WriteLine(address);
        }

        while (await Console.In.ReadLineAsync() is { } line)
        {
            if (line == Collect)
                GC.Collect();
            var usage = Usage.Read();
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{usage.ProcessorTime.Ticks} {usage.Bytes}"));
        }

        foreach (var server in servers)
        {
            if (server is IAsyncDisposable host)
                await host.DisposeAsync();
            else
                ((IDisposable)server).Dispose();
        }
    }

    /// <summary>Runs work in this process, after a collection of garbage in both processes.</summary>
    /// <returns>The result of the work, and what both processes used for it.</returns>
    public async Task<(T Result, Usage Usage)> MeasureAsync<T>(Func<Task<T>> work)
    {
        GC.Collect();
        var thereBefore = await AskAsync(Collect);
        var hereBefore = Usage.Read();
        var result = await work();
        var here = Usage.Read() - hereBefore;
        return (result, here + (await AskAsync("") - thereBefore));
    }

    public void Dispose() => _process.Dispose();

    private async Task<Usage> AskAsync(string line)
    {
        var words = (await _process.AskAsync(line)).Split(' ');
        return new Usage(TimeSpan.FromTicks(long.Parse(words[0], CultureInfo.InvariantCulture)), long.Parse(words[1], CultureInfo.InvariantCulture));
    }
}
