using System;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Simulation;
using Xunit;

namespace Reloaded.Messaging.Tests.SimulatedWorlds;

/// <summary>Worlds of fixed seeds.</summary>
public class SimulationTests(ITestOutputHelper output)
{
    [Fact]
    public async Task Worlds_of_fixed_seeds_break_no_law()
    {
        var (exitCode, text) = await SimulationProcess.RunAsync(output, "run", "1", "160");

        Assert.True(exitCode == 0, text);
        Assert.Contains("160 passed, 0 failed", text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("5")]
    [InlineData("6")]
    public async Task Worlds_of_one_seed_are_the_same_in_two_processes(string seed)
    {
        var first = await SimulationProcess.RunAsync(output, "simulate", seed);
        var second = await SimulationProcess.RunAsync(output, "simulate", seed);

        Assert.Equal(0, first.ExitCode);
        Assert.Equal(first.Text, second.Text);
        Assert.Matches("hash [0-9a-f]{16}", first.Text);
    }
}
