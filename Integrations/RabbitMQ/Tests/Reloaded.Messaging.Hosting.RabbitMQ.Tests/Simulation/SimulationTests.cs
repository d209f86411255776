using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Reloaded.Messaging.Simulation.Laws;
using Reloaded.Messaging.Tests.Simulation;
using Reloaded.Messaging.Tests.Support;
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

    [Fact]
    public void Page_lists_each_law_of_the_broker_with_the_promise_behind_it()
    {
        var page = File.ReadAllText(Path.Combine(RepositoryFolder.FullName, "Integrations", "RabbitMQ", "docs", "rabbitmq-worlds.md"));
        var section = page.Split("\n## ").Single(static section => section.StartsWith("Laws\n", StringComparison.Ordinal));
        var listed = Regex.Matches(section, @"^\| `([^`]+)` \|", RegexOptions.Multiline).Select(static row => row.Groups[1].Value);
        var laws = typeof(BrokerLawNames).GetFields(BindingFlags.Static | BindingFlags.Public).Select(static field => (string)field.GetValue(null)!);

        Assert.Equal(laws.Order(), listed.Order());
    }
}
