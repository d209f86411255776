using System.Diagnostics;
using Reloaded.Messaging.Simulation;
using Xunit;

namespace Reloaded.Messaging.Tests.Simulation;

/// <summary>Runs the simulator in a process whose thread pool has one thread.</summary>
internal static class SimulationProcess
{
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(5);

    /// <summary>Runs worlds until the process ends, and writes its output to the output of the test.</summary>
    public static async Task<(int ExitCode, string Text)> RunAsync(ITestOutputHelper output, params string[] arguments)
    {
        var start = new ProcessStartInfo(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet") { RedirectStandardOutput = true };
        start.ArgumentList.Add(typeof(World).Assembly.Location);
        foreach (var argument in arguments)
            start.ArgumentList.Add(argument);
        using var process = Process.Start(start)!;
        var text = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken).WaitAsync(s_longest, TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        output.WriteLine(text);
        return (process.ExitCode, text);
    }
}
