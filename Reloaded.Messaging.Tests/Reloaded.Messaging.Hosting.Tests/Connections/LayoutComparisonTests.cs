using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>One comparison for all contracts finds what a new comparison for each contract finds, and reads each pair of lines once.</summary>
public sealed class LayoutComparisonTests
{
    [Fact]
    public void Comparison_that_knows_other_contracts_finds_the_same()
    {
        for (var seed = 0; seed < 3000; seed++)
        {
            var random = new Random(seed);
            var lines = Lines(random, 1 + random.Next(12));
            var ours = new ContractLayouts(Text(lines));
            for (var changes = random.Next(3); changes > 0; changes--)
                Change(random, lines);
            var theirs = new ContractLayouts(Text(lines));
            var shared = new LayoutComparison(ours, theirs);

            foreach (var root in Enumerable.Range(0, lines.Count).OrderBy(_ => random.Next()))
            {
                var expected = new LayoutComparison(ours, theirs).Find(root, root);
                var found = shared.Find(root, root);

                Assert.True(expected is null == found is null, $"Seed {seed}, line {root}: {expected?.Describe(true)}, {found?.Describe(true)}\n{ours}\n{theirs}");
                Assert.StartsWith($"T{root}", found?.Path ?? $"T{root}", StringComparison.Ordinal);
            }

            Assert.True(shared.Comparisons <= lines.Count, $"Seed {seed}: {shared.Comparisons} of {lines.Count} lines.");
        }
    }

    [Theory]
    [InlineData(2)] // the long line itself differs
    [InlineData(3)] // a line that it reaches differs
    public void Line_that_all_contracts_reach_is_compared_once(int different)
    {
        const int Contracts = 400;
        var lines = new List<string[]> { new[] { "i4" }, new[] { "i4" }, Enumerable.Repeat("i4", 10_000).Append("@3").ToArray(), new[] { "i4" } };
        lines.AddRange(Enumerable.Range(0, Contracts).Select(static _ => new[] { "@2", "@0" }));
        var ours = new ContractLayouts(Text(lines));
        lines[different][^1] = "s";
        var comparison = new LayoutComparison(ours, new ContractLayouts(Text(lines)));

        for (var i = 4; i < lines.Count; i++)
            Assert.StartsWith($"T{i}.F0.", comparison.Find(i, i)!.Path, StringComparison.Ordinal);

        Assert.InRange(comparison.Comparisons, Contracts + 1, Contracts + 3);
    }

    private static List<string[]> Lines(Random random, int count) => [.. Enumerable.Range(0, count).Select(_ => Enumerable.Range(0, random.Next(5)).Select(_ => Type(random, count)).ToArray())];

    private static string Type(Random random, int count) => random.Next(5) switch
    {
        0 => "i4",
        1 => "s",
        2 => $"[@{random.Next(count)}]",
        _ => $"@{random.Next(count)}",
    };

    private static void Change(Random random, List<string[]> lines)
    {
        var fields = lines[random.Next(lines.Count)];
        if (fields.Length > 0)
            fields[random.Next(fields.Length)] = Type(random, lines.Count);
    }

    private static string Text(List<string[]> lines) =>
        string.Concat(lines.Select(static (fields, number) => $"{100 + number} 1 T{number} o{string.Concat(fields.Select(static (type, place) => $";F{place} {type}"))}\n"));
}
