using System.IO;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Simulation;
using Reloaded.Messaging.Simulation.Laws;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Simulation;

/// <summary>Worlds of fixed seeds.</summary>
public class SimulationTests(ITestOutputHelper output)
{
    public static TheoryData<string> Seeds => [.. Extent.Of(["2", "3"], first: 1)];

    [Fact]
    public async Task Worlds_of_fixed_seeds_break_no_law()
    {
        var seeds = Extent.Of("40", "240");

        var (exitCode, text) = await SimulationProcess.RunAsync(output, "run", "1", seeds);

        Assert.True(exitCode == 0, text);
        Assert.Contains($"{seeds} passed, 0 failed", text, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task Worlds_of_one_seed_are_the_same_in_two_processes(string seed)
    {
        var first = await SimulationProcess.RunAsync(output, "simulate", seed);
        var second = await SimulationProcess.RunAsync(output, "simulate", seed);

        Assert.Equal(0, first.ExitCode);
        Assert.Equal(first.Text, second.Text);
        Assert.Matches("hash [0-9a-f]{16}", first.Text);
    }

    [Fact]
    public void Page_lists_each_law_with_the_promise_behind_it()
    {
        var page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Pages", "testing.md"));
        var section = page[page.IndexOf("\n### Laws", StringComparison.Ordinal)..page.IndexOf("\n### Defects", StringComparison.Ordinal)];
        var listed = Regex.Matches(section, @"^\| `([^`]+)` \|", RegexOptions.Multiline).Select(static row => row.Groups[1].Value);
        var laws = typeof(LawNames).GetFields(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic).Select(static field => (string)field.GetValue(null)!);

        Assert.Equal(laws.Order(), listed.Order());
    }
}
