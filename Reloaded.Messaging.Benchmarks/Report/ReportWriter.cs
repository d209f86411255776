using System.Globalization;
using System.IO;
using System.Linq;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;
using Reloaded.Messaging.Benchmarks.Dispatching;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Generated;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Benchmarks.Hosts.Peers;
using Reloaded.Messaging.Benchmarks.Packing;
using Reloaded.Messaging.Benchmarks.RealWorld;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>Measures groups of figures and writes their parts of <c>docs/benchmarks/README.md</c>, its plots, and the parts of <c>docs/comparison.md</c> and <c>README.md</c> with figures.</summary>
public static class ReportWriter
{
    /// <summary>The argument that measures nothing.</summary>
    public const string Again = "again";

    /// <summary>Measures groups and writes the page.</summary>
    /// <param name="groups">The groups to measure; all groups if the array is empty; none if it is only <c>again</c>.</param>
    public static int Write(string[] groups)
    {
        var root = GroupReport.FindRoot();
        var before = ReportPart.ReadAll(File.ReadAllText(Path.Combine(root, "docs", "benchmarks", "README.md"))).ToDictionary(static part => part.Name);
        var parts = new Dictionary<string, ReportPart>(before);
        if (groups is [Again])
            Save(root, parts);
        foreach (var name in groups is [Again] ? [] : groups.Length > 0 ? groups : [.. FigureGroups.Names])
        {
            var group = FigureGroups.Measure(name, Console.WriteLine);
            parts[name] = GroupReport.Of(name, Title(name), group, MeasureSections(name, group), before.GetValueOrDefault(name));
            Save(root, parts); // a group that fails does not lose the groups before it
        }

        return 0;
    }

    private static void Save(string root, Dictionary<string, ReportPart> parts)
    {
        var folder = Path.Combine(root, "docs", "benchmarks");
        var path = Path.Combine(folder, "README.md");
        var ordered = FigureGroups.Names.Where(parts.ContainsKey).Select(name => parts[name]).ToList();
        var (text, plots) = ReportPage.Write(ordered);
        File.WriteAllText(path, text);
        ReportPage.WritePlots(folder, plots);
        ReadmeTable.Write(Path.Combine(root, "README.md"), "core peers", ReadmeTable.Draw(ordered));
        if (parts.TryGetValue(PeerTables.Group, out var peers) && peers.Figures is not null)
            ReadmeTable.Write(Path.Combine(root, "docs", "comparison.md"), PeerTables.Group, PeerTables.Compare(peers));
        Console.WriteLine($"Wrote {Path.GetRelativePath(root, path)}.");
    }

    private static string Title(string group) => group switch
    {
        "peers" => "Other libraries",
        "request" => "A request without the system",
        "core" => "Packing, dispatching and queueing",
        "contracts" => "Serialization",
        "hosts" => "Servers and clients",
        "transfer" => "Streams and files",
        "shm" => "Shared memory",
        "udp" => "UDP",
        "paths" => "Paths with a delay, losses and a rate",
        "game" => "Game servers",
        "sessions" => "Encrypted sessions",
        "streams" => "Recyclable streams",
        "litenet" => "LiteNetLib",
        "k4os" => "LZ4 in managed code",
        "start" => "The first second",
        "growth" => "Growth",
        _ => group,
    };

    private static List<ReportSection> MeasureSections(string name, FigureGroup group) => name switch
    {
        PeerTables.Group when group.Figures.Count > 0 => [.. PeerReport.Of((PeerFigures)group)],
        "core" => [Run<DispatchBenchmarks>("Dispatch of 100,000 messages"), Run<PackBenchmarks>("Packing of 100,000 messages")],
        "contracts" => [Run<RealWorldBenchmarks>("A mod configuration as JSON"), Run<ContractBenchmarks>("Round trips by generated contracts and by others")],
        "hosts" => [Echoes(EchoSweep.MeasureAsync(Console.WriteLine).GetAwaiter().GetResult())],
        _ => [],
    };

    private static ReportSection Echoes(List<EchoSweep.Cell> cells)
    {
        var counts = cells.Select(static cell => cell.Clients).Distinct().ToList();
        var rows = cells.GroupBy(static cell => cell.Way).Select(static way => (string[])[way.Key, .. way.Select(static cell => Text($"{TwoDigits(cell.Rate):N0} / {cell.Bytes:N0}"))]);
        return new ReportSection(
            "Echoes over TCP",
            Text($"The cells show messages per second / bytes allocated per message, for server and clients together in one process. Messages have about 32 bytes with their header, and `NoDelay` is set. Each rate is the median of {EchoSweep.Rounds} samples, rounded to two digits."),
            new ReportTable(["clients", .. counts.Select(static count => Text($"{count}"))], ["---", .. counts.Select(static _ => "---:")], [.. rows]));
    }

    private static double TwoDigits(double value)
    {
        var unit = Math.Pow(10, Math.Floor(Math.Log10(Math.Max(1, value))) - 1);
        return Math.Round(value / unit) * unit;
    }

    private static ReportSection Run<TBenchmarks>(string title)
    {
        var job = Job.ShortRun.WithToolchain(InProcessEmitToolchain.Instance);
        var config = ManualConfig.Create(DefaultConfig.Instance).AddJob(job).AddDiagnoser(MemoryDiagnoser.Default);
        var rows = BenchmarkRunner.Run<TBenchmarks>(config).Reports.Select(static report =>
        {
            var method = report.BenchmarkCase.Descriptor.WorkloadMethod.Name;
            var bytes = report.GcStats.GetBytesAllocatedPerOperation(report.BenchmarkCase) ?? 0;
            var statistics = report.ResultStatistics ?? throw new InvalidOperationException($"The benchmark {method} returned no result.");
            return new[] { method, Text($"{statistics.Mean:N1}"), Text($"{statistics.Min:N1}..{statistics.Max:N1}"), Text($"{1e9 / statistics.Mean:N0}"), Text($"{bytes:N0}") };
        });
        return new ReportSection(
            title,
            "Means of a short run of BenchmarkDotNet (3 iterations, in process). The setup checks that the rows do the same work. Rows whose name ends in `Protobuf` are Google.Protobuf.",
            new ReportTable(["row", "ns", "range", "messages/s", "bytes allocated"], ["---", "---:", "---:", "---:", "---:"], [.. rows]));
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
