using System;
using System.Diagnostics;
using System.Threading.Tasks;
using Reloaded.Messaging.Simulation;
using Xunit;

namespace Reloaded.Messaging.Tests.SimulatedWorlds;

/// <summary>Runs simulated worlds, in a process whose thread pool has one thread.</summary>
public class SimulationTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(5);

    [Fact]
    public async Task Worlds_of_fixed_seeds_break_no_law()
    {
        var (exitCode, text) = await RunAsync("run", "1", "160");

        Assert.True(exitCode == 0, text);
        Assert.Contains("160 passed, 0 failed", text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("5")]
    [InlineData("6")]
    public async Task Worlds_of_one_seed_are_the_same_in_two_processes(string seed)
    {
        var first = await RunAsync("simulate", seed);
        var second = await RunAsync("simulate", seed);

        Assert.Equal(0, first.ExitCode);
        Assert.Equal(first.Text, second.Text);
        Assert.Matches("hash [0-9a-f]{16}", first.Text);
    }

    private async Task<(int ExitCode, string Text)> RunAsync(params string[] arguments)
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
