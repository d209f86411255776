using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Start;

/// <summary>
/// <c>reload [LOADS]</c>: what a mod with its own copy of the library costs each time that it is loaded, and how fast a tool finds a mod that is loaded again every two seconds.
/// </summary>
internal static class ReloadRun
{
    public const string Verb = "reload";

    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_loaded = TimeSpan.FromSeconds(1.6); // of each interval

    /// <returns>1 if a tool needed more than a second; otherwise, 0.</returns>
    public static async Task<int> RunAsync(string[] args)
    {
        var loads = args.Length > 0 ? int.Parse(args[0], CultureInfo.InvariantCulture) : 10;
        Console.WriteLine("A mod that pumps the first request of a tool, in a collectible context:");
        for (var load = 1; load <= loads; load++)
        {
            foreach (var kind in new[] { "pump", "warm-pump" })
                Console.WriteLine(Load(kind));
        }

        Console.WriteLine($"A tool and a mod that is loaded again every {s_interval.TotalSeconds} s:");
        var times = await FindAsync(loads);
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"reply after {times.Order().ElementAt(loads / 2):F0} ms (median), {times.Max():F0} ms (longest) of {loads} loads"));
        return times.Max() > 1000 ? 1 : 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string Load(string kind)
    {
        var (methods, compilation, begin) = (JitInfo.GetCompiledMethodCount(), JitInfo.GetCompilationTime(), Stopwatch.GetTimestamp());
        var context = new ModContext();
        var program = context.LoadFromAssemblyName(new AssemblyName("Reloaded.Messaging.Benchmarks.Start")).EntryPoint!;
        program.Invoke(null, [new[] { kind }]); // prints the time of the pump
        var text = string.Create(CultureInfo.InvariantCulture, $"  {kind}: {JitInfo.GetCompiledMethodCount() - methods} methods in {(JitInfo.GetCompilationTime() - compilation).TotalMilliseconds:F0} ms, {Stopwatch.GetElapsedTime(begin).TotalMilliseconds:F0} ms in all");
        context.Unload();
        return text;
    }

    /// <summary>Returns the times from the listening of each mod to the reply to a request that the tool sent before, in milliseconds.</summary>
    private static async Task<double[]> FindAsync(int loads)
    {
        const string Name = "reload-run";
        var options = new MessageHostOptions
        {
            Reconnect = new ReconnectOptions
            {
                ResendsRequests = true,
                MaxDelay = TimeSpan.FromMilliseconds(250),
                NextEndpoint = attempt => new(MessageEndpoint.FindServers(Name) is [var found, ..] ? found : attempt.Endpoint),
            },
        };
        await using var tool = await ConnectAsync();
        var times = new double[loads];
        for (var load = 0; load < loads; load++)
        {
            var asking = tool.RequestAsync<Term, Total>(new Term(1, 2), s_interval * 2).AsTask();
            await Task.Delay(s_interval - s_loaded);
            await using var mod = await ListenAsync();
            var begin = Stopwatch.GetTimestamp();
            await asking;
            times[load] = Stopwatch.GetElapsedTime(begin).TotalMilliseconds;
            await Task.Delay(s_loaded);
        }

        return times;

        async Task<MessageClient> ConnectAsync()
        {
            await using var first = await ListenAsync();
            return await MessageHost.ConnectAsync(MessageEndpoint.OfProcess(Environment.ProcessId, Name), options: options);
        }

        static Task<MessageServer> ListenAsync() => MessageHost.ListenAsync(
            MessageEndpoint.OfProcess(Environment.ProcessId, Name),
            static host => host.OnRequest<Term, Total>(static term => new Total(term.Left + term.Right)));
    }

    /// <summary>The context of a mod, with its own copy of the library.</summary>
    private sealed class ModContext() : AssemblyLoadContext("mod", isCollectible: true)
    {
        protected override Assembly? Load(AssemblyName assemblyName) =>
            assemblyName.Name!.StartsWith("Reloaded.Messaging", StringComparison.Ordinal) ? LoadFromAssemblyPath(Path.Combine(AppContext.BaseDirectory, $"{assemblyName.Name}.dll")) : null;
    }
}
